import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions } from '../console-options.ts'
import type { Desk } from '../desk.ts'
import { same } from '../same.ts'
import type { ConsoleState } from '../state.ts'
import { KEPT, keptComfort } from './kept.ts'
import { notRemembered } from '../../text/comfort.ts'

/** Writes the comfort down for the next console whenever something of it changes that is kept. Gives what stops it. */
export const keepComfort = (desk: Pick<Desk, 'tell'>, store: StoreApi<ConsoleState>, memory: NonNullable<ConsoleOptions['memory']>): (() => void) =>
  store.subscribe((after, before) => {
    if (after.comfort === before.comfort) return
    const kept = keptComfort(after.comfort)
    if (same(kept, keptComfort(before.comfort))) return
    try {
      memory.write(() => ({ [KEPT]: kept }))
    } catch (error) {
      desk.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
