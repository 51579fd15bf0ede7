import { boardColumns } from '../../domain/columns.ts'
import { ours, safeText } from '../../domain/safe-text.ts'
import type { TaskView } from '../../operations/kernel/views.ts'
import type { Attention } from '../../operations/read-board.ts'
import type { Card, ColumnOfCards } from '../../../components/Columns.tsx'
import { boardLooks } from '../../../components/look.ts'
import type { TreeRow } from '../../../components/Tree.tsx'
import { boardState } from '../rows.ts'
import type { ConsoleState } from '../state.ts'
import { topIn, visibleColumns, windowOfSelected } from './window.ts'

// What the columns and the tree show. Only rows that are visible are made.

export const columnRows = (state: ConsoleState, height: number): { columns: readonly ColumnOfCards[]; before: boolean; after: boolean } => {
  const seen = visibleColumns(state)
  const own = windowOfSelected(state)?.column
  const columns = seen.map((column): ColumnOfCards => {
    const tasks = state.shapes.columns.find((one) => one.column === column)?.tasks ?? []
    const selected = tasks.findIndex(({ id }) => id === state.view.task)
    const top = topIn(tasks, state.view.shape.tops[column], selected, height)
    return { column, count: countOf(state, column), current: column === own, cards: tasks.slice(top, top + height).map((task) => cardOf(state, task)) }
  })
  return { columns, before: seen[0] !== boardColumns[0], after: seen.at(-1) !== boardColumns.at(-1) }
}

const cardOf = ({ now, board, view }: ConsoleState, task: TaskView): Card => {
  const asked = askedOf(board.attention, task)
  return { id: task.id, state: boardState(task, now, asked), title: safeText(task.title), asks: asked.length > 0, selected: task.id === view.task }
}

const countOf = ({ board: { counts }, view }: ConsoleState, column: (typeof boardColumns)[number]): number | null => {
  // What is kept is how many there are, not how many have the words of the filter.
  if (view.filter !== '') return null
  return column === 'working' ? (counts['claimed'] ?? 0) + (counts['in_progress'] ?? 0) : (counts[column] ?? 0)
}

/** Levels to the right that there is room for, two columns each. */
const levelsThatFit = (width: number): number => Math.max(3, Math.floor(width / 5))

export const treeRows = (state: ConsoleState, width: number, height: number): readonly TreeRow[] => {
  const { rows } = state.shapes.tree ?? { rows: [] }
  const tasks = rows.map(({ task }) => task)
  const selected = tasks.findIndex(({ id }) => id === state.view.task)
  const top = topIn(tasks, state.view.shape.tops.tree, selected, height)
  const fits = levelsThatFit(width)
  // A deep tree is seen through a window, in which the selection stands in the middle.
  const left = Math.max(0, (rows[Math.max(0, selected)]?.level ?? 0) - Math.floor(fits / 2))
  const from = rows.every(({ level }) => level < fits) ? 0 : left
  const critical = new Set(state.shapes.critical)
  return rows.slice(top, top + height).map(({ task, level, matches }): TreeRow => {
    const asked = askedOf(state.board.attention, task)
    const look = boardState(task, state.now, asked)
    const others = task.dependencies.slice(0, -1)
    return {
      id: task.id,
      state: look,
      says: ours(look === 'in_progress' && task.progressPercent !== null ? `working ${task.progressPercent}%` : boardLooks[look].word),
      title: safeText(task.title),
      level: Math.min(fits, Math.max(0, level - from)),
      beyond: level < from ? 'left' : level - from > fits ? 'right' : null,
      also: ours(others.length === 0 ? '' : `also ${others.slice(0, 4).join(', ')}${others.length > 4 ? ', …' : ''}`),
      critical: critical.has(task.id),
      asks: asked.length > 0,
      matches,
      selected: task.id === state.view.task,
    }
  })
}

const askedOf = (attention: readonly Attention[], task: TaskView): readonly Attention[] => attention.filter((item) => item.taskId === task.id)
