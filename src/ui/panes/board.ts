import type { Card, ColumnOfCards, ColumnsProps } from '../../../components/Columns.tsx'
import type { TreeRow } from '../../../components/Tree.tsx'
import { boardLooks } from '../../../components/base/look.ts'
import { boardColumns } from '../../domain/task/task.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { guideText, paneText } from '../../text/panes.ts'
import { rowText } from '../../text/states.ts'
import { cardsThatFit, tasksAround, topIn, visibleColumns, windowOfSelected } from '../core/board-window.ts'
import { isGuiding } from '../core/reducers.ts'
import {
  type BoardShape,
  boardShapes,
  changingView,
  type ColumnWindow,
  type ConsoleState,
  type Jump,
  type Transition,
  type TreeWindow,
  type View,
} from '../core/state.ts'
import { keep, keepRows } from '../core/structural-sharing.ts'
import { shownKey } from '../keys/bindings.ts'
import { byTheMinute } from '../rows/progress.ts'
import { boardRow, boardState, reasonOfTask, rowReason } from '../rows/tasks.ts'
import { focusNext } from './arrangement.ts'
import { rowsThatFit } from './list.ts'
import { foundWords } from './matches.ts'

// The board as columns and as a tree: its rows, how keys move its selection, and what changes when rows arrive.

export const columnRows = (state: ConsoleState, paneHeight: number): Omit<ColumnsProps, 'width' | 'focused'> => {
  const height = cardsThatFit(paneHeight)
  const seen = visibleColumns(state)
  const own = windowOfSelected(state)?.column
  const columns = seen.map((column): ColumnOfCards => {
    const tasks = state.shapes.columns.find((one) => one.column === column)?.tasks ?? []
    const selected = tasks.findIndex(({ id }) => id === state.view.task)
    const top = topIn(tasks, state.view.shape.tops[column], selected, height)
    return {
      column,
      count: countOf(state, column),
      current: column === own,
      cards: tasks.slice(top, top + height).map((task) => cardOf(state, task)),
    }
  })
  // A card has no room for the reason, so the last line shows it for the selected one.
  const at =
    paneHeight > height + 1 ? windowOfSelected(state)?.tasks.find(({ id }) => id === state.view.task) : undefined
  const reason = ours(
    at === undefined
      ? ''
      : `${at.id}  ${[timeOf(at, state.now, askedOf(state.board.attention, at)), reasonOfTask(state, at, byTheMinute)].filter((part) => part !== '').join('  ')}`,
  )
  return { columns, before: seen[0] !== boardColumns[0], after: seen.at(-1) !== boardColumns.at(-1), height, reason }
}

const cardOf = ({ now, board, view }: ConsoleState, task: TaskView): Card => {
  const asked = askedOf(board.attention, task)
  return {
    id: task.id,
    state: boardState(task, now, asked),
    title: safeText(task.title),
    time: timeOf(task, now, asked),
    asks: asked.length > 0,
    selected: task.id === view.task,
  }
}

/** The number of tasks in a column; null if unknown. */
const countOf = ({ board: { counts }, view }: ConsoleState, column: (typeof boardColumns)[number]): number | null => {
  // The known numbers do not take the filter into account.
  if (view.filter !== '') return null
  return column === 'working' ? (counts['claimed'] ?? 0) + (counts['in_progress'] ?? 0) : (counts[column] ?? 0)
}

export const treeRows = (state: ConsoleState, width: number, height: number): readonly TreeRow[] => {
  const { rows } = state.shapes.tree ?? { rows: [] }
  const tasks = rows.map(({ task }) => task)
  const selected = tasks.findIndex(({ id }) => id === state.view.task)
  const top = topIn(tasks, state.view.shape.tops.tree, selected, height)
  const fits = levelsThatFit(width)
  // A deep tree is scrolled horizontally, with the selection in the middle.
  const left = Math.max(0, (rows[Math.max(0, selected)]?.level ?? 0) - Math.floor(fits / 2))
  const from = rows.every(({ level }) => level < fits) ? 0 : left
  const critical = new Set(state.shapes.critical)
  return rows.slice(top, top + height).map(({ task, level, matches }): TreeRow => {
    const asked = askedOf(state.board.attention, task)
    const look = boardState(task, state.now, asked)
    // The reason contains the duration of these states.
    const told = look !== 'blocked' && look !== 'sleeping'
    const others = task.dependencies.slice(0, -1)
    return {
      id: task.id,
      state: look,
      says: ours(
        `${look === 'in_progress' && task.progressPercent !== null ? rowText.working(task.progressPercent) : boardLooks[look].word} ${told ? timeOf(task, state.now, asked) : ''}`.trimEnd(),
      ),
      title: safeText(task.title),
      level: Math.min(fits, Math.max(0, level - from)),
      beyond: level < from ? 'left' : level - from > fits ? 'right' : null,
      reason: rowReason(state, task),
      also: ours(others.length === 0 ? '' : rowText.also(others, 4)),
      critical: critical.has(task.id),
      asks: asked.length > 0,
      matches,
      selected: task.id === state.view.task,
    }
  })
}

/** The levels that fit, two columns each. */
const levelsThatFit = (width: number): number => Math.max(3, Math.floor(width / 5))

/** The time after a word that contains a duration or a remaining time. */
const timeOf = (task: TaskView, now: Instant, asked: readonly Attention[]): SafeText =>
  boardRow(task, now, asked, false).time

const askedOf = (attention: readonly Attention[], task: TaskView): readonly Attention[] =>
  attention.filter((item) => item.taskId === task.id)

/** The note beside the board's title: its shape, the length of the critical path, the filter. */
export const boardNote = ({ view: { shape, filter }, shapes, found }: ConsoleState): SafeText => {
  const tree = shapes.critical.length > 1 ? paneText.critical(shapes.critical.length) : paneText.shapes.tree
  const words = [
    ...(shape.as === 'list' ? [] : [shape.as === 'tree' ? tree : paneText.shapes.columns]),
    ...(filter === '' ? [] : [`/${filter}${found === null ? '' : ` · ${foundWords(found)}`}`]),
  ]
  return ours(words.map(safeText).join('  '))
}

/** The next keys for a person without any task; empty for everyone else. */
export const guideOf = (state: ConsoleState): readonly SafeText[] => {
  if (!isGuiding(state)) return []
  const key = (id: string): string => shownKey(state, id)
  return [
    ours(state.preferences.agentless ? guideText.newCommand : guideText.newTask),
    ours(guideText.integrate(key('integrate'))),
    ours(guideText.find(key('help'), key('palette'), key('back'))),
  ]
}

// Moves the selection on the columns and the tree.

/** Cycles list, columns, tree; the selection stays on the same task. */
export const cycleShape: Transition = (state) => {
  const { shape, task } = state.view
  const as: BoardShape = boardShapes[(boardShapes.indexOf(shape.as) + 1) % boardShapes.length]!
  const known = state.board.tasks.some(({ id }) => id === task)
  const around: Partial<View> = as === 'list' && task !== null && !known ? { around: task } : {}
  return changingView(() => ({ pane: 'board', about: 'board', shape: { ...shape, as, jump: null }, ...around }))(state)
}

/** Moves by one row, or by `by` rows. */
export const moveOnBoard = (state: ConsoleState, by: number): ConsoleState => {
  const { jump } = state.view.shape
  // The target rows of the jump are being read.
  if (jump && typeof jump.to === 'string')
    return changingView(({ shape }) => ({ shape: { ...shape, jump: { ...jump, by: (jump.by ?? 0) + by } as Jump } }))(
      state,
    )
  const tasks = tasksAround(state)
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  if (index === -1) return state
  return selectOnBoard(state, Math.min(tasks.length - 1, Math.max(0, index + by)))
}

/** Moves to an end of the column, or of the tree: of the read rows, if they include the end. */
export const toEnd = (state: ConsoleState, to: 'first' | 'last'): ConsoleState => {
  const { shape } = state.view
  const window = shape.as === 'tree' ? state.shapes.tree : windowOfSelected(state)
  if (!window) return state
  const whole = to === 'first' ? !window.moreBefore : !window.moreAfter
  if (whole) return selectOnBoard(state, to === 'first' ? 0 : tasksAround(state).length - 1)
  const of = 'column' in window ? window.column : ('tree' as const)
  const tops = { ...shape.tops, [of]: to === 'first' ? 1 : Number.MAX_SAFE_INTEGER }
  return changingView(() => ({ shape: { ...shape, tops, jump: { of, to } as Jump } }))(state)
}

/** Moves to the neighbouring column; without columns to the neighbouring pane. */
export const aside =
  (by: 1 | -1): Transition =>
  (state) => {
    const { pane, shape } = state.view
    if (pane !== 'board' || shape.as !== 'columns') return focusNext(by)(state)
    const window = windowOfSelected(state)
    if (!window) return state
    return intoColumn(state, boardColumns.indexOf(window.column) + by, by, rowOf(state))
  }

/**
 * Moves to the row at that height of a column, or of the next one in that direction with tasks; at the last column
 * nothing changes.
 */
const intoColumn = (state: ConsoleState, index: number, by: 1 | -1, row: number): ConsoleState => {
  const of = boardColumns[index]
  if (of === undefined) return changingView(({ shape }) => ({ shape: { ...shape, jump: null } }))(state)
  const window = visibleColumns(state).includes(of)
    ? state.shapes.columns.find(({ column }) => column === of)
    : undefined
  if (window?.tasks.length === 0 || (!window && countOf(state, of) === 0)) return intoColumn(state, index + by, by, row)
  if (!window) return changingView(({ shape }) => ({ shape: { ...shape, jump: { of, to: { row, by } } } }))(state)
  const top = topIn(window.tasks, state.view.shape.tops[of], -1, rowsThatFit(state, 'board'))
  const task = window.tasks[Math.min(window.tasks.length - 1, top + row)]!
  return withLeft(changingView(({ shape }) => ({ task: task.id, shape: { ...shape, jump: null } }))(state))
}

/** Selects a row that was read, and scrolls it into view. */
export const selectOnBoard = (state: ConsoleState, index: number): ConsoleState => {
  const tasks = tasksAround(state)
  const task = tasks[index]
  if (!task) return state
  const { shape } = state.view
  const of = shape.as === 'tree' ? ('tree' as const) : windowOfSelected(state)!.column
  const top = tasks[topIn(tasks, shape.tops[of], index, rowsThatFit(state, 'board'))]!
  return changingView(() => ({
    task: task.id,
    shape: { ...shape, tops: { ...shape.tops, [of]: top.id }, jump: null },
  }))(state)
}

/** The columns on the screen stay until the selection leaves them. */
export const withLeft = (state: ConsoleState): ConsoleState => {
  const left = boardColumns.indexOf(visibleColumns(state)[0]!)
  return left === state.view.shape.left ? state : changingView(({ shape }) => ({ shape: { ...shape, left } }))(state)
}

/** The position of the selection below the top of its column. */
const rowOf = (state: ConsoleState): number => {
  const { tasks, column } = windowOfSelected(state)!
  const index = tasks.findIndex(({ id }) => id === state.view.task)
  return index - topIn(tasks, state.view.shape.tops[column], index, rowsThatFit(state, 'board'))
}

// Transitions for columns and the tree. Unchanged rows stay the same objects.

export const columnsArrived =
  (next: readonly ColumnWindow[]): Transition =>
  (state) => {
    const columns = boardColumns.flatMap((column) => {
      const window = next.find((one) => one.column === column)
      const old = state.shapes.columns.find((one) => one.column === column)
      return window ? [keep(old, { ...window, tasks: keepRows(old?.tasks ?? [], window.tasks, ({ id }) => id) })!] : []
    })
    const arrived = jumped({ ...state, shapes: { ...state.shapes, columns } })
    const aside = typeof state.view.shape.jump?.to === 'object' && state.view.task === arrived.view.task
    // On the way to a column with tasks, and if there is none, the previous columns may be kept.
    return aside ? { ...arrived, shapes: state.shapes } : arrived
  }

/** `isGone` returns true if a selection is nowhere in the tree; `near` is selected instead. */
export const treeArrived =
  (next: TreeWindow, isGone: (task: number) => boolean = () => false, near: number | null = null): Transition =>
  (state) => {
    const old = state.shapes.tree
    const tree = keep(old, { ...next, rows: keepRows(old?.rows ?? [], next.rows, ({ task }) => task.id) })!
    const arrived = tree === old ? state : { ...state, shapes: { ...state.shapes, tree } }
    const { jump, as } = state.view.shape
    if (as !== 'tree') return arrived
    const { task } = state.view
    // If the filter matches nothing, no key may act on an invisible selection.
    if (tree.rows.length === 0) return task === null ? arrived : changingView(() => ({ task: null }))(arrived)
    if (jump?.of === 'tree') return selectOnBoard(arrived, landing(tree.rows.length, jump.to, jump.by))
    if (task !== null && !isGone(task)) return arrived
    return selectOnBoard(
      arrived,
      Math.max(
        0,
        tree.rows.findIndex((row) => row.task.id === near),
      ),
    )
  }

export const criticalArrived =
  (next: readonly number[]): Transition =>
  (state) => {
    const critical = keep(state.shapes.critical, next)
    return critical === state.shapes.critical ? state : { ...state, shapes: { ...state.shapes, critical } }
  }

/** The target of a jump, with the steps made since it began. */
const landing = (rows: number, to: 'first' | 'last', by = 0): number =>
  Math.max(0, Math.min(rows - 1, (to === 'last' ? rows - 1 : 0) + by))

/** Selects the row that was requested before it was read. */
const jumped = (state: ConsoleState): ConsoleState => {
  const { jump, as } = state.view.shape
  if (as !== 'columns') return state
  if (!jump || jump.of === 'tree') return withLeft(state)
  const { of, to, by } = jump
  if (typeof to === 'object') return intoColumn(state, boardColumns.indexOf(of), to.by, to.row)
  const tasks = state.shapes.columns.find(({ column }) => column === of)?.tasks ?? []
  const task = tasks[landing(tasks.length, to, by)]
  return changingView(({ shape }) => ({ ...(task ? { task: task.id } : {}), shape: { ...shape, jump: null } }))(state)
}
