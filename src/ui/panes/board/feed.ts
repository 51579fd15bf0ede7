import type { StoreApi } from 'zustand/vanilla'
import { perform } from '../../../operations/perform/perform.ts'
import { readStems } from '../../../operations/screens/dependency-tree.ts'
import type { ConsoleOptions } from '../../core/controller.ts'
import type { Matches } from './matches.ts'
import { throttled } from '../../core/timers.ts'
import { type BoardShape, type ConsoleState, isSameJump, type Jump, type Transition } from '../../core/state.ts'
import { criticalArrived } from './reducers.ts'
import { makeFoundTree } from './found-tree.ts'
import { readPath } from './read-path.ts'
import { type ShapeReading, readRows } from './read-rows.ts'
import { runsOut } from '../../core/board-window.ts'

/** Milliseconds between two readings of the same rows, and between two searches for the critical path. */
const often = { rows: 100, path: 3000 } as const

/** Reads the board's columns, or its tree, while they are on the screen; nothing while the board is a list. Gives what stops it. */
export const startBoardFeed = (
  { connection, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
  matches: Pick<Matches, 'pieces' | 'watch'>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const tree = makeFoundTree((from, span) => perform(connection.core, readStems, { from, span }, connection.actor))
  const shape = (): ConsoleState['view']['shape'] => store.getState().view.shape

  /** Drops rows that were read before the person jumped elsewhere, because they would not contain the selected task. */
  const arrived = (as: BoardShape, jump: Jump | null, transition: Transition): void => {
    if (shape().as !== as) return
    if (isSameJump(shape().jump, jump)) change(transition)
    else rows.hurry()
  }
  const reading: ShapeReading = { connection, state: store.getState, matches, tree, arrived }
  const rows = throttled(
    often.rows,
    careful(() => readRows(reading)),
  )
  const path = throttled(
    often.path,
    careful(() =>
      readPath(
        connection,
        () => shape().as === 'tree',
        (ids) => change(criticalArrived(ids)),
      ),
    ),
  )
  const both = (): void => {
    if (shape().as === 'list') return
    rows.ask()
    if (shape().as === 'tree') path.ask()
  }
  matches.watch(() => {
    if (shape().as === 'tree') rows.ask()
  })
  const stops = [
    rows.stop,
    path.stop,
    watch(both),
    store.subscribe((after, before) => {
      if (after.view.shape.as === 'list') return
      if (after.preferences.arrangement !== before.preferences.arrangement) return rows.ask()
      if (after.view === before.view) return
      if (after.view.shape.as !== before.view.shape.as || after.view.filter !== before.view.filter) return both()
      if (after.view.shape.jump !== before.view.shape.jump && after.view.shape.jump !== null) return rows.hurry()
      if (after.view.task !== before.view.task && runsOut(after)) return rows.hurry()
      // The wheel was turned over a column in which nothing is selected.
      if (after.view.task === before.view.task && after.view.shape.tops !== before.view.shape.tops) return rows.hurry()
      if (after.view.size !== before.view.size || after.view.shape.left !== before.view.shape.left) rows.hurry()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
