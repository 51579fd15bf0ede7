import { z } from 'zod'
import { selectAgents, selectEndedAgents } from '../db/agents.ts'
import { selectGuard } from '../db/repository-guard.ts'
import { selectRunningSession, selectLatestSession } from '../db/sessions.ts'
import { selectUnallowed } from '../db/task-queue.ts'
import { selectRecentRequests } from '../db/requests.ts'
import { countByStatus, selectTasks, type TaskFilter } from '../db/tasks.ts'
import { selectWorktrees } from '../db/worktrees.ts'
import type { Db } from '../db/sqlite.ts'
import { later } from '../domain/time.ts'
import type { Context } from './kernel/core.ts'
import { requestView, type RequestView, viewRequest } from './kernel/requests.ts'
import { operation } from './kernel/operation.ts'
import { sessionView, viewSession } from './kernel/session-view.ts'
import { agentView, taskView, type TaskView, viewAgents, viewTasks, viewWorktrees, worktreeView, type WorktreeView } from './kernel/views.ts'

/** Something that waits for a person. */
const attention = z.object({
  kind: z.enum(['approve', 'conflict', 'unverified', 'failed', 'command', 'stalled', 'permission', 'question', 'denial', 'configuration']),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** What an agent asks, and which. */
  agentId: z.string().nullable(),
  requestId: z.int().nullable(),
  since: z.string(),
  text: z.string(),
})
export type Attention = z.output<typeof attention>

export const board = z.object({
  session: sessionView.nullable(),
  counts: z.record(z.string(), z.int()),
  /** A window of tasks in the order of their numbers. */
  tasks: z.array(taskView),
  /** Tasks that match the filter outside of the window. */
  moreBefore: z.boolean(),
  moreAfter: z.boolean(),
  agents: z.array(agentView),
  worktrees: z.array(worktreeView),
  attention: z.array(attention),
  /** What agents ask, and what was answered in the last minute: its receipt stands with the agent. */
  requests: z.array(requestView),
})
export type Board = z.output<typeof board>

/** How long an answer stays on the screen (ms). */
export const RECEIPT = 60_000

/** How many agents that are over stay on the screen. */
const ENDED_AGENTS = 12

export const readBoard = operation({
  name: 'read_board',
  summary: 'What the console shows: a window of tasks around one of them, the agents, the worktrees, what waits for a person',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({
    around: z.int().default(1).describe('Task in the window; or the end of the board when larger than any'),
    before: z.int().min(0).max(1000).default(100),
    after: z.int().min(1).max(1000).default(200),
    words: z.array(z.string()).default([]),
  }),
  output: board,
  run: async (context, { around, before, after, words }) => {
    const { db, now } = context
    const earlier = (await selectTasks(db, { beforeId: around, order: 'newest', limit: before + 1, words })).reverse()
    const rest = await selectTasks(db, { fromId: around, limit: after + 1, words })
    const moreBefore = earlier.length > before
    const moreAfter = rest.length > after
    const rows = [...(moreBefore ? earlier.slice(1) : earlier), ...(moreAfter ? rest.slice(0, after) : rest)]
    const session = (await selectRunningSession(db)) ?? (await selectLatestSession(db))
    const worktrees = await viewWorktrees(db, await selectWorktrees(db))
    const requests = (await selectRecentRequests(db, later(now, -RECEIPT))).map(viewRequest)
    return {
      session: session ? viewSession(session) : null,
      counts: await countByStatus(db),
      tasks: await viewTasks(db, rows),
      moreBefore,
      moreAfter,
      agents: await viewAgents(db, await shownAgents(db)),
      worktrees,
      requests,
      attention: [...(await ofConfiguration(db)), ...requests.flatMap(ofRequest), ...worktrees.flatMap(ofWorktree), ...(await ofTasks(context))],
    }
  },
})

/** The live ones and the latest that are over, in the order of their registration: rows keep their place. */
const shownAgents = async (db: Db) => {
  const shown = [...(await selectAgents(db, { live: true })), ...(await selectEndedAgents(db, ENDED_AGENTS))]
  return shown.sort((a, b) => (a.registered_at === b.registered_at ? (a.id < b.id ? -1 : 1) : a.registered_at < b.registered_at ? -1 : 1))
}

const ofConfiguration = async (db: Db): Promise<Attention[]> => {
  const guard = await selectGuard(db)
  if (!guard?.changed_at) return []
  const text = 'the configuration of the repository has changed; nothing is integrated until you accept it'
  return [{ kind: 'configuration', taskId: null, worktree: null, agentId: null, requestId: null, since: guard.changed_at, text }]
}

const ofRequest = ({ id, kind, status, agentId, taskId, tool, subject, askedAt }: RequestView): Attention[] => {
  if (status !== 'open') return []
  const text: Record<RequestView['kind'], string> = {
    permission: `${agentId} asks to use ${tool}: ${subject}`,
    question: `${agentId} asks: ${subject}`,
    denial: `${agentId} was not allowed ${tool}: ${subject}`,
  }
  return [{ kind, taskId, worktree: null, agentId, requestId: id, since: askedAt, text: text[kind] }]
}

const ofWorktree = (worktree: WorktreeView): Attention[] => {
  const integration = worktree.integration
  if (!integration || integration.endedAt !== null) return []
  const item = (kind: Attention['kind'], text: string): Attention[] => [
    { kind, taskId: null, agentId: null, requestId: null, worktree: worktree.name, since: integration.requestedAt, text },
  ]
  switch (integration.status) {
    case 'ready':
      return item('approve', integration.problem ?? `${worktree.name} is ready to enter ${integration.target}`)
    case 'conflicted':
      return item('conflict', integration.problem ?? `${worktree.name} conflicts with ${integration.target} in ${integration.conflicts.slice(0, 3).join(', ')}`)
    case 'unverified':
      return item('unverified', `the verification of ${worktree.name} failed`)
    default:
      return []
  }
}

const ofTasks = async ({ db, now, settings }: Context): Promise<Attention[]> => {
  const find = async (filter: TaskFilter): Promise<readonly TaskView[]> => viewTasks(db, await selectTasks(db, { limit: 100, ...filter }))
  const quietSince = later(now, -settings.lease.stalledAfter)
  const item = (kind: Attention['kind'], task: TaskView, text: string): Attention => ({
    kind,
    taskId: task.id,
    agentId: null,
    requestId: null,
    worktree: null,
    since: task.changedAt,
    text,
  })
  const failed = (await find({ statuses: ['failed'], order: 'newest' })).map((task) => item('failed', task, `task ${task.id} failed: ${task.errorMessage ?? 'no reason given'}`))
  const stalled = (await find({ statuses: ['in_progress'] }))
    .filter((task) => (task.progressedAt ?? task.startedAt ?? now) < quietSince)
    .map((task) => item('stalled', task, `task ${task.id} shows no progress`))
  const command = (await find({ ids: await selectUnallowed(db), availableAt: now })).map((task) => item('command', task, `task ${task.id} waits for your word to run its command`))
  return [...command, ...stalled, ...failed]
}
