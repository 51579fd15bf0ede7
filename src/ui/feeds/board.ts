import { findTasks } from '../../operations/screens/search.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readBoard, readTaskWindow } from '../../operations/screens/board.ts'
import { boardAnswered, boardArrived, boardMissed } from '../core/reducers.ts'
import { debounced, throttled } from '../core/timers.ts'
import { found } from '../panes/board/found.ts'
import { makeMatches } from '../panes/board/matches.ts'
import { SPAN } from '../panes/board/match-pieces.ts'
import { rowsThatFit } from '../panes/room.ts'
import type { Reading } from './reading.ts'

/** Milliseconds between two reads of the board. */
const OFTEN = 100

/** Milliseconds until a board that was refused is read again: it may answer without any new commit. */
const AGAIN = 1000

/** Pages that are read at the target of a jump: keys may move on before the other rows arrive. */
const PAGES = 4

/** The rows of the panes; `then` is called when they are there. */
export const startBoard = (
  { connection: { core, actor }, state: read, change, careful }: Reading,
  then: () => void,
) => {
  const readNow = careful(
    async () => {
      await reads()
      change(boardAnswered)
    },
    (refusal) => {
      change(boardMissed(refusal))
      again.ask()
    },
  )
  const reads = async (): Promise<void> => {
    const { around, filter, jump } = read().view
    if (jump !== null && filter === '') return jumped(around)
    const wanted = (): boolean => read().view.filter === filter
    const window = filter === '' ? undefined : await matches.window(filter, around, wanted)
    if (!wanted()) return
    const next = await perform(
      core,
      readBoard,
      { around, ...(window ? { where: filter, among: window.among } : {}) },
      actor,
    )
    change(
      boardArrived(window ? { ...next, moreBefore: window.moreBefore, moreAfter: window.moreAfter } : next, around),
    )
    if (filter === '') change(found(null))
    then()
  }
  const board = throttled(OFTEN, readNow)
  const again = debounced(AGAIN, AGAIN, board.ask)
  /** A jump waits only for the rows that it makes visible; the others are read after them. A sorted board is sorted among all rows that are read. */
  const jumped = async (around: number): Promise<void> => {
    const state = read()
    const reach = Math.min(100, PAGES * rowsThatFit(state, 'board'))
    const rows = await perform(
      core,
      readTaskWindow,
      { around, ...(state.view.sorts.board === undefined ? { before: reach, after: reach } : {}) },
      actor,
    )
    change((state) => found(null)(boardArrived({ ...state.board, ...rows }, around)(state)))
    behind.ask()
  }
  const behind = debounced(60, 400, board.ask)
  const matches = makeMatches(
    (where, from) => perform(core, findTasks, { where, from, span: SPAN }, actor),
    (now) => change(found(now)),
    () => board.ask(),
  )
  return { readNow, board, matches, stop: () => [board, again, behind, matches].forEach(({ stop }) => stop()) }
}
