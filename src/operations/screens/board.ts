import { z } from 'zod'
import { countEndedAgents, selectAgents, selectEndedAgents } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectRecentRequests } from '../../db/requests.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import { selectLatestSession, selectRunningSession } from '../../db/sessions.ts'
import { countByStatus, selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { noUsage } from '../../domain/budget/budget.ts'
import { readersOf } from '../../domain/settings/persona-settings.ts'
import { once } from '../../domain/words/once.ts'
import { later } from '../../domain/words/time.ts'
import { budgetOfSession, budgetView, usageOfSession, viewBudget } from '../budgets/budgets.ts'
import { withSleeps } from '../hosts/quotas.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, lazyStrictObject } from '../perform/schemas.ts'
import { requestView, viewRequest } from '../requests/requests.ts'
import { heldOf } from '../tasks/held-tasks.ts'
import { whereOf } from '../tasks/list.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { taskView, viewTasks } from '../views/tasks.ts'
import { usageView } from '../views/usage.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'
import { attention, readAttention } from './attention.ts'

const board = once(() =>
  taskWindow().extend({
    session: sessionView().nullable(),
    /** The usage and the limits of the session. */
    usage: usageView(),
    budget: budgetView(),
    counts: z.record(z.string(), z.int()),
    agents: z.array(agentView()),
    /** The number of all agents that have ended; `agents` has the latest of them. */
    endedAgents: z.int(),
    worktrees: z.array(worktreeView()),
    attention: z.array(attention()),
    /** The most agents that run at once, and the milliseconds without progress after which a task is stalled. */
    limits: z.object({
      maxParallel: z.int(),
      stalledAfter: z.int(),
      silentAfter: z.int(),
      writers: z.int(),
      readers: z.array(z.string()),
    }),
    /** Open requests of agents, and those answered in the last minute, whose answer is shown at the agent. */
    requests: z.array(requestView()),
  }),
)
export type Board = z.output<ReturnType<typeof board>>

/** How long an answer stays on the screen (ms). */
export const RECEIPT = 60_000

/** How many ended agents stay on the screen. */
export const ENDED_AGENTS = 12

const windowAsked = lazyStrictObject(() => ({
  around: z.int().default(1).describe('Task in the window; a number larger than any is the end of the board'),
  before: z.int().min(0).max(1000).default(100),
  after: z.int().min(1).max(1000).default(200),
  where: z.string().max(2000).default('').describe('Only tasks that match this filter'),
  among: z
    .array(z.int())
    .max(1000)
    .optional()
    .describe('Only these tasks, wherever they are: a window that find_tasks found'),
}))

export const readBoard = operation({
  name: 'read_board',
  summary: 'Read what the console shows: a window of tasks around one of them, the agents, the worktrees, the inbox',
  access: 'read',
  authority: 'anyone',
  input: windowAsked,
  output: board,
  run: async (context, asked) => {
    const { db, settings } = context
    // Reads that do not need each other share the connections to a server, whose answers take their time on the way.
    const [window, people, counts, endedAgents] = await Promise.all([
      windowOf(context, asked),
      peopleOf(context),
      countByStatus(db),
      countEndedAgents(db),
    ])
    return {
      ...window,
      ...people,
      counts,
      endedAgents,
      limits: {
        maxParallel: settings.session.maxParallel,
        stalledAfter: settings.lease.stalledAfter,
        silentAfter: settings.fleet.silentAfter,
        writers: settings.worktrees.writers,
        readers: [...readersOf(settings)],
      },
    }
  },
})

/** The session, the agents, the worktrees, and everything that waits for a person. */
const peopleOf = async (context: Context) => {
  const { db, now } = context
  const [running, rows, worktrees, recent] = await Promise.all([
    selectRunningSession(db),
    shownAgents(db),
    selectWorktrees(db).then((rows) => viewWorktrees(db, rows)),
    selectRecentRequests(db, later(now, -RECEIPT)),
  ])
  const requests = recent.map(viewRequest)
  const [money, agents, waiting] = await Promise.all([
    moneyOf(context, running),
    viewAgents(db, rows),
    readAttention(context, requests, worktrees, rows, running),
  ])
  return { ...money, agents, worktrees, requests, attention: waiting }
}

/** The running session or the latest, its usage and its budget. */
const moneyOf = async (
  context: Context,
  running: SessionRow | undefined,
): Promise<Pick<Board, 'session' | 'usage' | 'budget'>> => {
  const session = running ?? (await selectLatestSession(context.db))
  if (!session) return { session: null, usage: noUsage, budget: { ...context.settings.budget.session, askedAt: null } }
  const [usage, budget] = await Promise.all([usageOfSession(context, session.id), budgetOfSession(context, session.id)])
  return { session: viewSession(session), usage, budget: viewBudget(budget) }
}

/** Live agents and the latest ended ones, in the order of their registration, so that rows keep their place. */
const shownAgents = async (db: Db) => {
  const shown = await Promise.all([selectAgents(db, { live: true }), selectEndedAgents(db, ENDED_AGENTS)])
  return shown
    .flat()
    .sort((a, b) =>
      a.registered_at === b.registered_at ? (a.id < b.id ? -1 : 1) : a.registered_at < b.registered_at ? -1 : 1,
    )
}

const taskWindow = lazyObject(() => ({
  /** A window of tasks in the order of their numbers. */
  tasks: z.array(taskView()),
  /** Tasks that cannot start now, and why. */
  held: z.array(z.object({ taskId: z.int(), why: z.string() })),
  /** True if there are matching tasks outside of the window. */
  moreBefore: z.boolean(),
  moreAfter: z.boolean(),
}))

const windowOf = async (
  context: Context,
  { around, before, after, where, among }: z.output<ReturnType<typeof windowAsked>>,
): Promise<z.output<ReturnType<typeof taskWindow>>> => {
  const { db } = context
  const asked = { ...whereOf(where, context), ...(among === undefined ? {} : { ids: among }) }
  const [newest, rest] = await Promise.all([
    selectTasks(db, { beforeId: around, order: 'newest', limit: before + 1, ...asked }),
    selectTasks(db, { fromId: around, limit: after + 1, ...asked }),
  ])
  const earlier = newest.reverse()
  const moreBefore = earlier.length > before
  const moreAfter = rest.length > after
  const rows = [...(moreBefore ? earlier.slice(1) : earlier), ...(moreAfter ? rest.slice(0, after) : rest)]
  const pending = rows.filter((row) => row.status === 'pending')
  const [tasks, held] = await Promise.all([
    viewTasks(db, rows).then((views) => withSleeps(context, views)),
    heldOf(context, pending),
  ])
  return {
    tasks,
    held,
    moreBefore,
    moreAfter,
  }
}

export const readTaskWindow = operation({
  name: 'read_task_window',
  summary: 'Read the tasks around one of them, without the other parts of the board',
  access: 'read',
  authority: 'anyone',
  input: windowAsked,
  output: taskWindow,
  run: windowOf,
})
