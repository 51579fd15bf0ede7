import type { BoardColumn } from '../../domain/task/task.ts'
import type { TaskView } from '../../operations/views/tasks.ts'

// The board's three shapes: a list, columns by state, a tree of dependencies.

export const boardShapes = ['list', 'columns', 'tree'] as const
export type BoardShape = (typeof boardShapes)[number]

/**
 * The selection after the next read: an end of the tree, or a row of a column that is not on the screen yet; `by` is
 * the distance that keys have moved from the end since.
 */
export type Jump =
  | { readonly of: 'tree'; readonly to: 'first' | 'last'; readonly by?: number }
  /** `row` is its height; an empty column is skipped in the direction of `by`. */
  | {
      readonly of: BoardColumn
      readonly to: 'first' | 'last' | { readonly row: number; readonly by: 1 | -1 }
      readonly by?: number
    }

export const isSameJump = (a: Jump | null, b: Jump | null): boolean => a?.of === b?.of && a?.to === b?.to

export interface ShapeView {
  readonly as: BoardShape
  /** The first column on the screen. */
  readonly left: number
  /** The task at the top of each column, and of the tree. */
  readonly tops: Readonly<Record<BoardColumn | 'tree', number>>
  readonly jump: Jump | null
}

export interface ColumnWindow {
  readonly column: BoardColumn
  readonly tasks: readonly TaskView[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface TreeWindow {
  /** With a filter, rows that do not match are ancestors of matching ones. */
  readonly rows: readonly { readonly task: TaskView; readonly level: number; readonly matches: boolean }[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

/** The read part of them, which is what the screen shows. */
export interface ShapeContents {
  readonly columns: readonly ColumnWindow[]
  readonly tree: TreeWindow | null
  /** Tasks on the longest chain of remaining work, in their order. */
  readonly critical: readonly number[]
}

export const asList: ShapeView = {
  as: 'list',
  left: 0,
  tops: { pending: 1, working: 1, failed: 1, completed: 1, cancelled: 1, tree: 1 },
  jump: null,
}

export const noShapes: ShapeContents = { columns: [], tree: null, critical: [] }
