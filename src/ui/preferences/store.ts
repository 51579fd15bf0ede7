import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions } from '../../contracts/console.ts'
import type { Controller } from '../core/controller.ts'
import { same } from '../core/same.ts'
import type { ConsoleState } from '../core/state.ts'
import { KEPT, keptPreferences } from './stored.ts'
import { notRemembered } from '../../text/comfort.ts'

/** Saves the preferences for the next console whenever a saved part of it changes. Returns a function that stops it. */
export const keepPreferences = (
  controller: Pick<Controller, 'tell'>,
  store: StoreApi<ConsoleState>,
  memory: NonNullable<ConsoleOptions['memory']>,
): (() => void) =>
  store.subscribe((after, before) => {
    if (after.preferences === before.preferences) return
    const kept = keptPreferences(after.preferences)
    if (same(kept, keptPreferences(before.preferences))) return
    try {
      memory.write(() => ({ [KEPT]: kept }))
    } catch (error) {
      controller.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
