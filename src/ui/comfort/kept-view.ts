import type { StoreApi } from 'zustand/vanilla'
import { parseFilter } from '../../domain/task-filter.ts'
import { asList, boardShapes } from '../board/state.ts'
import type { ConsoleOptions } from '../console-options.ts'
import type { Desk } from '../desk.ts'
import { same } from '../same.ts'
import { sortsIn } from '../sorting.ts'
import { type ConsoleState, looking, type Overlay, type View } from '../state.ts'
import { notRemembered } from '../../text/comfort.ts'

// How the lists were sorted, the board was drawn and what it was narrowed down to is what the next console of this project begins with.

/** The part of the console's memory that is ours. */
const KEPT = 'view'

const keptOf = ({ sorts, shape, filter }: View) => ({ sorts, shape: shape.as, filter })

/** What was kept, as far as it makes sense: anybody may have edited the file. */
export const readView = (memory: Readonly<Record<string, unknown>>): Pick<View, 'sorts' | 'shape' | 'filter'> => {
  const kept = memory[KEPT]
  const { sorts, shape, filter } = (typeof kept === 'object' && kept !== null ? kept : {}) as Readonly<Record<string, unknown>>
  return {
    sorts: sortsIn(sorts),
    shape: { ...asList, as: boardShapes.find((one) => one === shape) ?? 'list' },
    filter: typeof filter === 'string' && parseFilter(filter).problem === null ? filter : '',
  }
}

/** A filter that is being typed is none yet. */
const isTyping = (overlay: Overlay | null | undefined): boolean => !!overlay && (overlay.kind === 'filter' || isTyping(overlay.behind))

/** Begins as the console before has ended, and writes down what changes. Gives what stops it. */
export const keepView = (desk: Pick<Desk, 'tell' | 'change'>, store: StoreApi<ConsoleState>, memory: NonNullable<ConsoleOptions['memory']>): (() => void) => {
  desk.change(looking(() => readView(memory.read())))
  let kept = keptOf(store.getState().view)
  return store.subscribe(({ view: { sorts, shape, filter, overlay } }) => {
    if ((sorts === kept.sorts && shape.as === kept.shape && filter === kept.filter) || isTyping(overlay)) return
    const now = { sorts, shape: shape.as, filter }
    const changed = !same(now, kept)
    kept = now
    if (!changed) return
    try {
      memory.write(() => ({ [KEPT]: now }))
    } catch (error) {
      desk.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
}
