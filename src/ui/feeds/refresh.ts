import type { StoreApi } from 'zustand/vanilla'
import { instant, milliseconds } from '../../domain/words/time.ts'
import { listPersonas } from '../../operations/agents/personas.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readUsualTimes } from '../../operations/screens/pace.ts'
import type { ConsoleOptions } from '../core/controller.ts'
import { processesArrived, secondPassed, worktreesArrived } from '../core/reducers.ts'
import type { ConsoleState, Transition, View } from '../core/state.ts'
import { keep } from '../core/structural-sharing.ts'
import { debounced, repeat, throttled } from '../core/timers.ts'
import { startBoard, startBoardFeed } from './board.ts'
import { makeCareful, type Reading } from './reading.ts'
import { startSelected } from './selection.ts'

/** Milliseconds between two reads of the same data. */
const often = { clock: 1000, processes: 2000, worktrees: 3000, filter: 5000, usual: 10_000 } as const

/**
 * Keeps the store up to date with the database and the outside. Returns a promise for the first board, a function that
 * requests a refresh, and one that stops everything.
 */
export const startRefresh = (
  options: ConsoleOptions,
  store: StoreApi<ConsoleState>,
): { readonly ready: Promise<void>; readonly refresh: () => void; readonly stop: () => void } => {
  const { core } = options.connection
  const change = (transition: Transition): void => store.setState(transition, true)
  const careful = makeCareful(change)
  const reading: Reading = { connection: options.connection, state: store.getState, change, careful }
  const selected = startSelected(reading)
  const { readNow, board, matches, ...boardStops } = startBoard(reading, selected.ask)
  // A key that is held down repeats every 30 ms or so: each step is one frame, and the log comes at the last.
  const selection = debounced(60, 400, selected.ask)
  // The same applies to the letters of a filter.
  const filtered = debounced(60, 400, board.hurry)
  const { worktrees, processes, personas, usual } = makeObservers(reading, board.ask)
  const everything = (): void => {
    board.ask()
    worktrees.ask()
  }
  const stops = [
    options.watch(everything),
    repeat(often.clock, () => change(secondPassed(wholeSecond(core.clock()), options.supervisor()))),
    repeat(often.processes, processes),
    repeat(often.usual, usual),
    repeat(often.worktrees, () => worktrees.ask()),
    repeat(often.clock, selected.output),
    store.subscribe((after, before) => {
      if (after.view.filter !== before.view.filter) filtered.ask()
      else if (asksOther(after.view, before.view)) board.hurry()
      if (choosesOther(after.view, before.view)) selection.ask()
    }),
    startBoardFeed(options, store, careful, matches),
    ...Object.values(store.getState().table.views).flatMap(({ feed: start }) =>
      start ? [start(options, store, careful)] : [],
    ),
    boardStops.stop,
    // Time passes also where nothing else happens, and a filter may ask for it.
    repeat(often.filter, () => (store.getState().view.filter === '' ? undefined : board.ask())),
    ...[selected, selection, filtered, worktrees, personas].map(({ stop }) => stop),
  ]
  personas.ask()
  void usual()
  worktrees.ask()
  // The first frame contains the board, rather than an empty one.
  const ready = readNow().then((isRead) => (isRead ? undefined : board.ask()))
  return { ready, refresh: everything, stop: () => stops.forEach((stop) => stop()) }
}

/** Reads what is outside the board: the files of the worktrees, the processes of the agents, the personas, the past. */
const makeObservers = (
  { connection: { core, actor, outside }, state, change, careful }: Reading,
  board: () => void,
) => ({
  worktrees: throttled(
    500,
    // A board that does not answer has no new commits either, for which it would be read.
    careful(async () => change(worktreesArrived(await outside.observeWorktrees())), board),
    // A process of git for each worktree: many of them, or slow ones, are asked less often.
    0.2,
  ),
  processes: careful(async () => change(processesArrived(await outside.observeProcesses()))),
  usual: whenCompleted(
    state,
    careful(async () => {
      const usual = await perform(core, readUsualTimes, {}, actor)
      change((now) => ({ ...now, usual: keep(now.usual, usual) }))
    }),
  ),
  personas: throttled(
    500,
    careful(async () => {
      const names = (await perform(core, listPersonas, {}, actor))
        .filter((persona) => persona.role !== 'person')
        .map(({ id }) => id)
      change((state) => ({ ...state, personas: keep(state.personas, names) }))
    }),
  ),
})

/** Reads only after a task was completed: others change no usual time. */
const whenCompleted = (state: () => ConsoleState, read: () => Promise<boolean>): (() => Promise<void>) => {
  let seen = 0
  return async () => {
    const completed = state().board.counts['completed'] ?? 0
    if (completed === seen) return
    if (await read()) seen = completed
  }
}

/** Another window: the board is read for it. */
const asksOther = (a: View, b: View): boolean => a.around !== b.around || (a.jump !== null && a.jump.to !== b.jump?.to)

/** True if another row was selected, whose attempts and log are read. */
const choosesOther = (a: View, b: View): boolean => a.task !== b.task || a.agent !== b.agent || a.about !== b.about

const wholeSecond = (at: string): string => instant(Math.floor(milliseconds(at) / 1000) * 1000)
