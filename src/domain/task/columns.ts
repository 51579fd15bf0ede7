import type { TaskState } from './task.ts'

/** The board as columns by state. Claimed tasks are in the column of tasks in progress, with another mark. */
export const boardColumns = ['pending', 'working', 'failed', 'completed', 'cancelled'] as const
export type BoardColumn = (typeof boardColumns)[number]

const columns: Record<TaskState, BoardColumn> = {
  pending: 'pending',
  claimed: 'working',
  in_progress: 'working',
  failed: 'failed',
  completed: 'completed',
  cancelled: 'cancelled',
}

export const columnOf = (status: TaskState): BoardColumn => columns[status]

export const statusesIn = (column: BoardColumn): readonly TaskState[] =>
  (Object.keys(columns) as TaskState[]).filter((status) => columns[status] === column)
