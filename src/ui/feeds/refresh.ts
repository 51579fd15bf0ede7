import type { StoreApi } from 'zustand/vanilla'
import { instant, milliseconds } from '../../domain/words/time.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { listPersonas } from '../../operations/agents/list-personas.ts'
import { getAgentRuns } from '../../operations/agents/get-agent-runs.ts'
import { getTask } from '../../operations/tasks/get-task.ts'
import { findTasks } from '../../operations/tasks/find-tasks.ts'
import { perform } from '../../operations/door/perform.ts'
import { readBoard } from '../../operations/screens/read-board.ts'
import { readTaskWindow } from '../../operations/screens/read-task-window.ts'
import { boardArrived, detailArrived, noticed, processesArrived, runsArrived, secondPassed, worktreesArrived } from '../core/reducers.ts'
import type { ConsoleOptions } from '../../contracts/console.ts'
import type { Connection } from '../../contracts/outside.ts'
import { sentenceOf } from '../core/controller.ts'
import { startBoardFeed } from '../panes/board/feed.ts'
import { found } from '../panes/board/found.ts'
import { makeMatches, SPAN } from '../panes/board/matches.ts'
import { makeLogFeed } from '../panes/log/feed.ts'
import { rowsThatFit } from '../panes/room.ts'
import { throttled, repeat, debounced } from '../core/timers.ts'
import { keep } from '../core/same.ts'
import type { ConsoleState, Transition, View } from '../core/state.ts'

/** Milliseconds between two reads of the same data. */
const often = { board: 100, clock: 1000, processes: 2000, worktrees: 3000, output: 200, filter: 5000 } as const

/** Pages that are read at the target of a jump: keys may move on before the other rows arrive. */
const PAGES = 4

/**
 * Keeps the store up to date with the database and the outside. Returns a promise for the first board, a function that
 * requests a refresh, and one that stops everything.
 */
export const startRefresh = (
  options: ConsoleOptions,
  store: StoreApi<ConsoleState>,
): { readonly ready: Promise<void>; readonly refresh: () => void; readonly stop: () => void } => {
  const { core, actor, outside } = options.connection
  const change = (transition: Transition): void => store.setState(transition, true)
  const careful = (work: () => Promise<void>) => async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      change(noticed(sentenceOf(error), asRefusal(error) ? 'refused' : 'bug'))
    }
  }
  const reading: Reading = { connection: options.connection, state: store.getState, change, careful }
  const chosen = startChosen(reading)
  const { readNow, board, matches, ...boardStops } = startBoard(reading, chosen.ask)
  // A key that is held down repeats every 30 ms or so: each step is one frame, and the log comes at the last.
  const selected = debounced(60, 400, chosen.ask)
  // The same applies to the letters of a filter.
  const filtered = debounced(60, 400, board.hurry)
  const worktrees = throttled(
    500,
    careful(async () => change(worktreesArrived(await outside.observeWorktrees()))),
  )
  const personas = careful(async () => {
    const names = (await perform(core, listPersonas, {}, actor)).filter((persona) => persona.role !== 'person').map(({ id }) => id)
    change((state) => ({ ...state, personas: keep(state.personas, names) }))
  })

  const everything = (): void => {
    board.ask()
    worktrees.ask()
  }
  const stops = [
    options.watch(everything),
    repeat(often.clock, () => change(secondPassed(wholeSecond(core.clock()), options.supervisor()))),
    repeat(
      often.processes,
      careful(async () => change(processesArrived(await outside.observeProcesses()))),
    ),
    repeat(often.worktrees, () => worktrees.ask()),
    repeat(often.clock, chosen.output),
    store.subscribe((after, before) => {
      if (after.view.filter !== before.view.filter) filtered.ask()
      else if (asksOther(after.view, before.view)) board.hurry()
      if (choosesOther(after.view, before.view)) selected.ask()
    }),
    startBoardFeed(options, store, careful, matches),
    ...Object.values(store.getState().table.views).flatMap(({ feed: start }) => (start ? [start(options, store, careful)] : [])),
    boardStops.stop,
    // Time passes also where nothing else happens, and a filter may ask for it.
    repeat(often.filter, () => (store.getState().view.filter === '' ? undefined : board.ask())),
    ...[chosen, selected, filtered, worktrees].map(({ stop }) => stop),
  ]
  void personas()
  worktrees.ask()
  // The first frame contains the board, rather than an empty one.
  return { ready: readNow(), refresh: everything, stop: () => stops.forEach((stop) => stop()) }
}

interface Reading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly careful: (work: () => Promise<void>) => () => Promise<void>
}

/** The rows of the panes; `then` is called when they are there. */
const startBoard = ({ connection: { core, actor }, state: read, change, careful }: Reading, then: () => void) => {
  const readNow = careful(async () => {
    const { around, filter, jump } = read().view
    if (jump !== null && filter === '') return jumped(around)
    const wanted = (): boolean => read().view.filter === filter
    const window = filter === '' ? undefined : await matches.window(filter, around, wanted)
    if (!wanted()) return
    const next = await perform(core, readBoard, { around, ...(window ? { where: filter, among: window.among } : {}) }, actor)
    change(boardArrived(window ? { ...next, moreBefore: window.moreBefore, moreAfter: window.moreAfter } : next, around))
    if (filter === '') change(found(null))
    then()
  })
  const board = throttled(often.board, readNow)
  /** A jump waits only for the rows that it makes visible; the others are read after them. A sorted board is sorted among all rows that are read. */
  const jumped = async (around: number): Promise<void> => {
    const state = read()
    const reach = Math.min(100, PAGES * rowsThatFit(state, 'board'))
    const rows = await perform(core, readTaskWindow, { around, ...(state.view.sorts.board === undefined ? { before: reach, after: reach } : {}) }, actor)
    change((state) => found(null)(boardArrived({ ...state.board, ...rows }, around)(state)))
    behind.ask()
  }
  const behind = debounced(60, 400, board.ask)
  const matches = makeMatches(
    (where, from) => perform(core, findTasks, { where, from, span: SPAN }, actor),
    (now) => change(found(now)),
    () => board.ask(),
  )
  return { readNow, board, matches, stop: () => [board, behind, matches].forEach(({ stop }) => stop()) }
}

/** Reads the details of the selected row: its attempts and its log. */
const startChosen = ({ connection, state, change, careful }: Reading) => {
  const { core, actor } = connection
  const feed = makeLogFeed(connection, state, change)
  const chosen = throttled(
    often.board,
    careful(async () => {
      const { task, agent } = state().view
      const detail = task === null ? null : await perform(core, getTask, { taskId: task }, actor).catch(nothingIfGone)
      const runs = agent === null ? [] : ((await perform(core, getAgentRuns, { agentId: agent }, actor).catch(nothingIfGone)) ?? [])
      const noted = await feed.notes()
      // One change, and so one frame.
      change((now) => noted(runsArrived(runs)(detailArrived(detail)(now))))
      output.ask()
    }),
  )
  // Where nothing runs, nothing prints: a process that is left alone need not wake for it.
  const output = throttled(
    often.output,
    careful(async () => {
      if (await feed.output()) output.ask()
    }),
  )
  return { ask: chosen.ask, output: output.ask, stop: () => [chosen, output].forEach(({ stop }) => stop()) }
}

/** Another window: the board is read for it. */
const asksOther = (a: View, b: View): boolean => a.around !== b.around || (a.jump !== null && a.jump.to !== b.jump?.to)

/** True if another row was selected, whose attempts and log are read. */
const choosesOther = (a: View, b: View): boolean => a.task !== b.task || a.agent !== b.agent || a.about !== b.about

const wholeSecond = (at: string): string => instant(Math.floor(milliseconds(at) / 1000) * 1000)

const nothingIfGone = (error: unknown): null => {
  if (isRefusal(error) && error.code === 'not_found') return null
  throw error
}
