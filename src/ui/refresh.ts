import type { StoreApi } from 'zustand/vanilla'
import { instant, milliseconds } from '../domain/time.ts'
import { isRefusal } from '../domain/refusal.ts'
import { asRefusal } from '../domain/system-error.ts'
import { listPersonas } from '../operations/list-personas.ts'
import { getAgentRuns } from '../operations/get-agent-runs.ts'
import { getTask } from '../operations/get-task.ts'
import { findTasks } from '../operations/find-tasks.ts'
import { perform } from '../operations/kernel/perform.ts'
import { readBoard } from '../operations/read-board.ts'
import { readTaskWindow } from '../operations/read-task-window.ts'
import { boardArrived, detailArrived, noticed, processesArrived, runsArrived, secondPassed, worktreesArrived } from './arrivals.ts'
import type { ConsoleOptions } from './console-options.ts'
import { sentenceOf } from './desk.ts'
import { startBoardFeed } from './board/feed.ts'
import { found } from './filter/state.ts'
import { makeMatches, SPAN } from './filter/matches.ts'
import { startDetailFeed } from './detail/feed.ts'
import { makeLogFeed } from './log-feed.ts'
import { startLogsFeed } from './logs/feed.ts'
import { startMemoryFeed } from './memory/feed.ts'
import { startPastFeed } from './past/feed.ts'
import { rowsThatFit } from './movement.ts'
import { atMost, repeat, rested } from './pace.ts'
import { startPlotFeed } from './plots/feed.ts'
import { startRadarFeed } from './radar-feed.ts'
import { reviewLoader } from './review/load.ts'
import { keep } from './same.ts'
import { startSizeFeed } from './size-feed.ts'
import type { ConsoleState, Transition, View } from './state.ts'

/** Milliseconds between two looks at the same thing. */
const often = { board: 100, clock: 1000, processes: 2000, worktrees: 3000, output: 200, filter: 5000 } as const

/** Pages that are read where one jumps to: keys may move on before the other rows are there. */
const PAGES = 4

/** Keeps the store to what the database and the world outside say. Gives when the board was first read, what asks for a new look, and what stops it all; `measured` is put around each look at the board. */
export const startRefresh = (
  options: ConsoleOptions,
  store: StoreApi<ConsoleState>,
  measured: (work: () => Promise<void>) => () => Promise<void> = (work) => work,
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
  const feed = makeLogFeed(options.connection, store.getState, change)

  const readNow = measured(
    careful(async () => {
      const { around, filter, jump } = store.getState().view
      if (jump !== null && filter === '') return jumped(around)
      const wanted = (): boolean => store.getState().view.filter === filter
      const window = filter === '' ? undefined : await matches.window(filter, around, wanted)
      if (!wanted()) return
      const read = await perform(core, readBoard, { around, ...(window ? { where: filter, among: window.among } : {}) }, actor)
      change(boardArrived(window ? { ...read, moreBefore: window.moreBefore, moreAfter: window.moreAfter } : read, around))
      if (filter === '') change(found(null))
      chosen.ask()
    }),
  )
  const board = atMost(often.board, readNow)
  /** Who jumps waits for the rows that are then seen; the rest comes behind them. What is sorted is sorted among all that are read. */
  const jumped = async (around: number): Promise<void> => {
    const state = store.getState()
    const reach = Math.min(100, PAGES * rowsThatFit(state, 'board'))
    const rows = await perform(core, readTaskWindow, { around, ...(state.view.sorts.board === undefined ? { before: reach, after: reach } : {}) }, actor)
    change((state) => found(null)(boardArrived({ ...state.board, ...rows }, around)(state)))
    behind.ask()
  }
  const behind = rested(60, 400, board.ask)
  const matches = makeMatches(
    (where, from) => perform(core, findTasks, { where, from, span: SPAN }, actor),
    (now) => change(found(now)),
    () => board.ask(),
  )
  const chosen = atMost(
    often.board,
    careful(async () => {
      const { task, agent } = store.getState().view
      const detail = task === null ? null : await perform(core, getTask, { taskId: task }, actor).catch(nothingIfGone)
      const runs = agent === null ? [] : ((await perform(core, getAgentRuns, { agentId: agent }, actor).catch(nothingIfGone)) ?? [])
      const noted = await feed.notes()
      // One change, and so one frame.
      change((state) => noted(runsArrived(runs)(detailArrived(detail)(state))))
      output.ask()
    }),
  )
  // Where nothing runs, nothing prints: a process that is left alone need not wake for it.
  const output = atMost(
    often.output,
    careful(async () => {
      if (await feed.output()) output.ask()
    }),
  )
  // A key that is held down repeats every 30 ms or so: each step is one frame, and the log comes at the last.
  const selected = rested(60, 400, chosen.ask)
  // So it is with the letters of a filter.
  const filtered = rested(60, 400, board.hurry)
  const worktrees = atMost(
    500,
    careful(async () => change(worktreesArrived(await outside.observeWorktrees()))),
  )
  const personas = careful(async () => {
    const names = (await perform(core, listPersonas, {}, actor)).filter((persona) => persona.role !== 'person').map(({ id }) => id)
    change((state) => ({ ...state, personas: keep(state.personas, names) }))
  })
  const review = reviewLoader(options, store, careful)

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
    repeat(often.clock, output.ask),
    store.subscribe((after, before) => {
      if (after.view.filter !== before.view.filter) filtered.ask()
      else if (asksOther(after.view, before.view)) board.hurry()
      if (choosesOther(after.view, before.view)) selected.ask()
      review()
    }),
    startSizeFeed(options.connection, store),
    startBoardFeed(options, store, careful, matches),
    startDetailFeed(options.connection, store, careful),
    startLogsFeed(options.connection, store, careful),
    startPastFeed(options, store, careful),
    startMemoryFeed(options, store, careful),
    startPlotFeed(options, store, careful),
    startRadarFeed(outside, store, careful),
    board.stop,
    behind.stop,
    matches.stop,
    // Time passes also where nothing else happens, and a filter may ask for it.
    repeat(often.filter, () => (store.getState().view.filter === '' ? undefined : board.ask())),
    chosen.stop,
    output.stop,
    selected.stop,
    filtered.stop,
    worktrees.stop,
  ]
  void personas()
  worktrees.ask()
  // The first frame has the board in it: nobody wants to see an empty one first.
  return { ready: readNow(), refresh: everything, stop: () => stops.forEach((stop) => stop()) }
}

/** Another window: the board is read for it. */
const asksOther = (a: View, b: View): boolean => a.around !== b.around || (a.jump !== null && a.jump.to !== b.jump?.to)

/** Another row: its attempts and its log are read. */
const choosesOther = (a: View, b: View): boolean => a.task !== b.task || a.agent !== b.agent || a.about !== b.about

const wholeSecond = (at: string): string => instant(Math.floor(milliseconds(at) / 1000) * 1000)

const nothingIfGone = (error: unknown): null => {
  if (isRefusal(error) && error.code === 'not_found') return null
  throw error
}
