import { widthOf } from '../../../components/base/fit.ts'
import { isOver } from '../../domain/task/task.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { rowText } from '../../text/states.ts'
import { foldedAgents } from './folded-agents.ts'
import type { ConsoleState, Pane } from './state.ts'

// The lines and columns that the panes need for what they hold. They depend on the lists alone, not on the log: a
// border that moved with every selection would be restless.

interface Need {
  readonly lines: number
  readonly columns: number
  /** The columns without which titles and names are cut; 0 of a pane that may be narrow. */
  readonly least: number
}

export interface Needs extends Readonly<Record<Pane, Need>> {
  /** Lines of all panes below each other with every row of the lists, without regard to a filter. */
  readonly stacked: number
}

const endless: Need = { lines: Infinity, columns: Infinity, least: Infinity }

/** The needs of panes of which nothing is known: all there is. */
export const boundless: Needs = {
  board: endless,
  agents: endless,
  log: endless,
  worktrees: endless,
  stacked: Infinity,
}

/** The lines of the titles and the last border, and the fewest of a log. */
const [BORDERS, TAIL] = [5, 2] as const

export const needsOf = (state: Pick<ConsoleState, 'board' | 'view' | 'log' | 'loaded'>): Needs => {
  const { board, view, log, loaded } = state
  if (!loaded) return boundless
  const { shown, folded } = foldedAgents(state)
  const isSilent = board.agents.length === 0 && log.length === 0
  const lists = {
    board: view.shape.as === 'list' ? boardNeed(board) : boundless.board,
    agents: {
      lines: headed(shown.length + (folded > 0 ? 1 : 0)),
      columns: board.agents.length === 0 ? 0 : AGENT + Math.max(NAME, namesIn(board.agents)) + hostsIn(board.agents),
      least: board.agents.length === 0 ? 0 : LEAST,
    },
    worktrees: { lines: headed(board.worktrees.length), columns: WORKTREE, least: 0 },
  }
  const unseen = Object.values(board.counts).reduce((sum, count) => sum + count, 0) - board.tasks.length
  return {
    ...lists,
    log: { lines: isSilent ? 1 : Infinity, columns: Infinity, least: 0 },
    stacked: lists.board.lines + Math.max(0, unseen) + lists.agents.lines + lists.worktrees.lines + TAIL + BORDERS,
  }
}

/** The fewest columns of a board that shows agents. */
const LEAST = 74

/** Columns of a row of the board without agent and title. */
export const TASK = 37

/** Columns of a reason after a title, of a row of an agent without its name, of a short name, and of a worktree. */
const [REASON, AGENT, NAME, WORKTREE] = [32, 83, 15, 56] as const

/** An empty board: its heading, what to do next, and how to hide that. Beside worktrees its lines may be cut. */
const guide = (worktrees: number): Need => ({
  lines: 6,
  columns: worktrees === 0 ? 68 : 62,
  least: 62,
})

const headed = (rows: number): number => (rows === 0 ? 1 : rows + 1)

const boardNeed = ({ tasks, worktrees, moreBefore, moreAfter }: ConsoleState['board']): Need => {
  if (tasks.length === 0 && !moreBefore && !moreAfter) return guide(worktrees.length)
  const { agent, title, reason, explains } = boardWidths(tasks)
  // Below the rows is the reason of the selected one.
  return {
    lines: moreBefore || moreAfter ? Infinity : headed(tasks.length) + (explains ? 1 : 0),
    columns: Math.max(LEAST, TASK + agent + Math.max(title, reason)),
    least: Math.max(LEAST, TASK + agent + title),
  }
}

interface BoardWidths {
  readonly agent: number
  readonly title: number
  /** Of a title with the reason after it. */
  readonly reason: number
  /** True if a task may have a reason: an ended one has none, unless it failed. */
  readonly explains: boolean
}

const widths = new WeakMap<readonly TaskView[], BoardWidths>()

/** The widths of the longest cells of the read tasks. */
export const boardWidths = (tasks: readonly TaskView[]): BoardWidths => {
  const known = widths.get(tasks)
  if (known) return known
  const made = tasks.reduce<BoardWidths>(
    ({ agent, title, reason, explains }, task) => {
      const width = widthOf(task.title)
      const rests = isOver(task.status) && task.status !== 'failed'
      return {
        agent: Math.max(agent, widthOf(task.assignedAgentId ?? (task.sleep ? rowText.quotaOf(task.sleep.kind) : ''))),
        title: Math.max(title, width),
        reason: rests || task.assignedAgentId !== null ? reason : Math.max(reason, width + REASON),
        explains: explains || !rests,
      }
    },
    { agent: SHORT, title: 0, reason: 0, explains: false },
  )
  const bounded = { ...made, agent: Math.min(LONG, made.agent) }
  widths.set(tasks, bounded)
  return bounded
}

/** The least and the most columns of an agent's name on the board. */
const SHORT: number = 10
const LONG: number = 24

const longest = (nameOf: (agent: AgentView) => string): ((agents: readonly AgentView[]) => number) => {
  const widths = new WeakMap<readonly AgentView[], number>()
  return (agents) => {
    const known = widths.get(agents) ?? agents.reduce((most, agent) => Math.max(most, widthOf(nameOf(agent))), 0)
    widths.set(agents, known)
    return known
  }
}

/** The width of the longest name. */
export const namesIn = longest(({ id }) => id)

/** The width of the longest name of their hosts; 0 where there is one host. */
export const hostsIn = longest(({ host }) => host?.name ?? '')
