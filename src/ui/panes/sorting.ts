import { worktreeSince } from '../../domain/worktree/status.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { agentLooks, boardLooks } from '../../../components/base/look.ts'
import type { Controller } from '../core/controller.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import { agentLook, sinceOfAgent } from '../rows/agents.ts'
import { boardSince, boardState } from '../rows/tasks.ts'
import { changingView, type ConsoleState, type ListPane, type Sorts, type View } from '../core/state.ts'
import { sortText } from '../../text/panes.ts'

// Rows are in a fixed order. A person may sort a pane by a column; rows that wait for a person are marked, never moved.

type Key = string | number
type Columns<Row> = Readonly<Record<string, (row: Row, state: ConsoleState) => Key>>

const boardColumns: Columns<TaskView> = {
  priority: (task) => -task.priority,
  state: (task, state) =>
    Object.keys(boardLooks).indexOf(
      boardState(
        task,
        state.now,
        state.board.attention.filter((item) => item.taskId === task.id),
      ),
    ),
  'time in state': (task, state) =>
    boardSince(
      task,
      state.now,
      state.board.attention.filter((item) => item.taskId === task.id),
    ),
  agent: (task) => task.assignedAgentId ?? '~',
  title: (task) => task.title.toLowerCase(),
}

const agentColumns: Columns<AgentView> = {
  agent: (agent) => agent.id,
  state: (agent) => Object.keys(agentLooks).indexOf(agentLook(agent)),
  'time in state': (agent, state) => sinceOfAgent(state, agent),
  task: (agent) => agent.taskId ?? Infinity,
}

const worktreeColumns: Columns<WorktreeView> = {
  name: (worktree) => worktree.name,
  state: (worktree) => `${worktree.status} ${worktree.integration?.status ?? ''}`,
  'time in state': (worktree) => worktreeSince(worktree),
  ahead: (worktree, { observed }) => -(observed[worktree.name]?.ahead ?? 0),
}

const columnsOf = { board: boardColumns, agents: agentColumns, worktrees: worktreeColumns }

/** Those that there are; what anything else asks for is left out. */
export const sortsIn = (wished: unknown): Sorts => {
  const asked = (typeof wished === 'object' && wished !== null ? wished : {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    (Object.keys(columnsOf) as ListPane[]).flatMap((pane) => {
      const column = Object.keys(columnsOf[pane]).find((one) => one === asked[pane])
      return column === undefined ? [] : [[pane, column]]
    }),
  )
}

export const shownTasks = (state: ConsoleState): readonly TaskView[] =>
  sorted(state, state.board.tasks, boardColumns, state.view.sorts.board)

export const shownAgents = (state: ConsoleState): readonly AgentView[] =>
  sorted(state, foldedAgents(state).shown, agentColumns, state.view.sorts.agents)

export const shownWorktrees = (state: ConsoleState): readonly WorktreeView[] =>
  sorted(state, state.board.worktrees, worktreeColumns, state.view.sorts.worktrees)

/** Rows with equal values keep the fixed order. */
const sorted = <Row>(
  state: ConsoleState,
  rows: readonly Row[],
  columns: Columns<Row>,
  by: string | undefined,
): readonly Row[] => {
  const key = by === undefined ? undefined : columns[by]
  if (!key) return rows
  return rows
    .map((row) => ({ row, key: key(row, state) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ row }) => row)
}

export const whyNotSort = ({ view }: ConsoleState): string | undefined => {
  if (view.pane === 'log') return sortText.logIsNotSorted
  return view.pane === 'board' && view.shape.as !== 'list' ? sortText.onlyList : undefined
}

/** Sorts the focused list by its next column, and after the last by the fixed order again. */
export const sortNext = (controller: Controller): void => {
  const pane = controller.state().view.pane as ListPane
  const names = Object.keys(columnsOf[pane])
  const next = names[names.indexOf(controller.state().view.sorts[pane] ?? '') + 1]
  controller.change(
    changingView(({ sorts }) => ({ sorts: next === undefined ? without(sorts, pane) : { ...sorts, [pane]: next } })),
  )
  const { board } = controller.state()
  const part =
    pane === 'board' && next !== undefined && (board.moreBefore || board.moreAfter)
      ? sortText.inReach(board.tasks[0]?.id, board.tasks.at(-1)?.id)
      : ''
  controller.tell(next === undefined ? sortText.fixedOrder : `${sortText.sortedBy(next)}${part}`)
}

/** The note beside the title of a sorted list. */
export const sortNote = ({ sorts, shape }: View, pane: ListPane): string =>
  sorts[pane] === undefined || (pane === 'board' && shape.as !== 'list') ? '' : `▾ ${sorts[pane]}`

const without = (sorts: Sorts, pane: ListPane): Sorts =>
  Object.fromEntries(Object.entries(sorts).filter(([one]) => one !== pane))
