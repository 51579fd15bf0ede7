import { boardColumns } from '../../../domain/task/task.ts'
import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import type { Instant } from '../../../domain/words/time.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import type { Card, ColumnOfCards, ColumnsProps } from '../../../../components/Columns.tsx'
import { boardLooks } from '../../../../components/base/look.ts'
import type { TreeRow } from '../../../../components/Tree.tsx'
import { boardRow, boardState, reasonOfTask, rowReason } from '../../rows/tasks.ts'
import { byTheMinute } from '../../rows/progress.ts'
import type { ConsoleState } from '../../core/state.ts'
import { cardsThatFit, topIn, visibleColumns, windowOfSelected } from '../../core/board-window.ts'
import { rowText } from '../../../text/states.ts'

// The contents of the columns and the tree. Only visible rows are created.

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
export const countOf = (
  { board: { counts }, view }: ConsoleState,
  column: (typeof boardColumns)[number],
): number | null => {
  // The known numbers do not take the filter into account.
  if (view.filter !== '') return null
  return column === 'working' ? (counts['claimed'] ?? 0) + (counts['in_progress'] ?? 0) : (counts[column] ?? 0)
}

/** The levels that fit, two columns each. */
const levelsThatFit = (width: number): number => Math.max(3, Math.floor(width / 5))

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

/** The time after a word that contains a duration or a remaining time. */
const timeOf = (task: TaskView, now: Instant, asked: readonly Attention[]): SafeText =>
  boardRow(task, now, asked, false).time

const askedOf = (attention: readonly Attention[], task: TaskView): readonly Attention[] =>
  attention.filter((item) => item.taskId === task.id)
