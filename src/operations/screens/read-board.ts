import { z } from 'zod'
import { countEndedAgents, selectAgents, selectEndedAgents } from '../../db/agents.ts'
import { selectRunningSession, selectLatestSession } from '../../db/sessions.ts'
import { selectRecentRequests } from '../../db/requests.ts'
import { countByStatus } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import type { Db } from '../../db/engine/db.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import { noUsage } from '../../domain/budget/budget.ts'
import { readersOf } from '../../domain/settings/persona-settings.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { readAttention } from './attention.ts'
import { attention } from './attention-item.ts'
import { budgetOfSession, budgetView, usageOfSession, viewBudget } from '../budgets/budgets.ts'
import { usageView } from '../views/usage.ts'
import { requestView, viewRequest } from '../requests/requests.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'
import { taskWindow, windowAsked, windowOf } from './read-task-window.ts'
import { once } from '../../domain/words/once.ts'

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

export type { Attention } from './attention-item.ts'

/** How long an answer stays on the screen (ms). */
export const RECEIPT = 60_000

/** How many ended agents stay on the screen. */
export const ENDED_AGENTS = 12

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
