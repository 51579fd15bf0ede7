import type { StoreApi } from 'zustand/vanilla'
import { parseFilter } from '../../domain/task/filter-parser.ts'
import { asList, boardShapes, changingView, type ConsoleState, type View } from '../core/state.ts'
import type { ConsoleOptions, Controller } from '../core/controller.ts'
import { viewOf } from '../core/overlays.ts'
import { same } from '../core/structural-sharing.ts'
import { sortsIn } from '../panes/sorting.ts'
import { notRemembered } from '../../text/settings.ts'

// The next console of this project begins with the same sort orders, board shape and filter.

/** The key of this part in the console's memory. */
const VIEW = 'view'

const keptView = ({ sorts, shape, filter }: View) => ({ sorts, shape: shape.as, filter })

/** The saved values, as far as they are valid: a person may have edited the file. */
export const readView = (memory: Readonly<Record<string, unknown>>): Pick<View, 'sorts' | 'shape' | 'filter'> => {
  const kept = memory[VIEW]
  const { sorts, shape, filter } = (typeof kept === 'object' && kept !== null ? kept : {}) as Readonly<
    Record<string, unknown>
  >
  return {
    sorts: sortsIn(sorts),
    shape: { ...asList, as: boardShapes.find((one) => one === shape) ?? 'list' },
    filter: typeof filter === 'string' && parseFilter(filter).problem === null ? filter : '',
  }
}

/** A filter that is being typed, for example, does not count yet. */
const isTried = (state: ConsoleState, overlay = state.view.overlay): boolean =>
  overlay !== null && (viewOf(state, overlay).tries === true || isTried(state, overlay.behind ?? null))

/** Restores the state of the previous console, and saves changes. Returns a function that stops it. */
export const keepView = (
  controller: Pick<Controller, 'tell' | 'change'>,
  store: StoreApi<ConsoleState>,
  memory: NonNullable<ConsoleOptions['memory']>,
): (() => void) => {
  controller.change(changingView(() => readView(memory.read())))
  let kept = keptView(store.getState().view)
  return store.subscribe((state) => {
    const { sorts, shape, filter } = state.view
    if ((sorts === kept.sorts && shape.as === kept.shape && filter === kept.filter) || isTried(state)) return
    const now = { sorts, shape: shape.as, filter }
    const changed = !same(now, kept)
    kept = now
    if (!changed) return
    try {
      memory.write(() => ({ [VIEW]: now }))
    } catch (error) {
      controller.tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
    }
  })
}
