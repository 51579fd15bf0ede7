import { z } from 'zod'
import { selectRuns } from '../../db/agent-runs.ts'
import { selectAgents } from '../../db/agents.ts'
import { selectGuard } from '../../db/repository-guard.ts'
import { selectUnallowed } from '../../db/task-queue.ts'
import { selectTasks, type TaskFilter } from '../../db/tasks.ts'
import { selectMovedTargets, selectWatchedCheckout } from '../../db/watched.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { Db } from '../../db/engine/sqlite.ts'
import { commandFor } from '../../domain/request/attention-command.ts'
import { attentionKinds, byUrgency } from '../../domain/request/attention.ts'
import { configurationSaid, integrationSaid, requestSaid, taskSaid, unstartableSaid } from '../../domain/request/attention-said.ts'
import type { Said } from '../../domain/words/said.ts'
import { checkoutSaid, movedSaid } from '../../domain/integration/moved.ts'
import { askedBudgets } from '../budgets/asked-budgets.ts'
import type { Context } from '../door/core.ts'
import type { RequestView } from '../requests/requests.ts'
import { unstartableOf } from '../tasks/steps/held-tasks.ts'
import { whereOf } from '../tasks/steps/task-where.ts'
import { type TaskView, viewTasks, type WorktreeView } from '../views/views.ts'
import { viewCheckout, viewMove } from '../integration/watched.ts'

/** An item that waits for a person. */
export const attention = z.object({
  kind: z.enum(attentionKinds),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** The agent's request and its number. */
  agentId: z.string().nullable(),
  requestId: z.int().nullable(),
  /** The branch that was moved, if any. */
  target: z.string().optional(),
  since: z.string(),
  text: z.string(),
  /** The evidence in one line. */
  evidence: z.string(),
  /** The command that answers it, for a person without a console. */
  command: z.string(),
  /** A key that items share if they may be answered together; null if each is decided alone. */
  like: z.string().nullable(),
})
export type Attention = z.output<typeof attention>

/** Everything that waits for a person, the most urgent first. */
export const readAttention = async (context: Context, requests: readonly RequestView[], worktrees: readonly WorktreeView[]): Promise<Attention[]> => {
  const live = new Map(requests.length === 0 ? [] : (await selectAgents(context.db, { live: true })).map((agent) => [agent.id, agent]))
  const budgets = await askedBudgets(context)
  return byUrgency([
    ...(await ofConfiguration(context.db)),
    ...(await ofWatched(context.db)),
    ...requests.flatMap((request) => ofRequest(request, live.get(request.agentId))),
    ...worktrees.flatMap(ofWorktree),
    ...budgets.map(({ taskId, since, said }) => attentionItem('budget', since, said, { taskId })),
    ...(await ofTasks(context, worktrees, new Set([...budgets, ...requests.filter(holdsUp)].map(({ taskId }) => taskId)))),
  ])
}

/** An item without a subject except the given fields. */
export const attentionItem = (
  kind: Attention['kind'],
  since: string,
  said: Said,
  about: Partial<Pick<Attention, 'taskId' | 'worktree' | 'agentId' | 'requestId' | 'target'>>,
  personaId: string | null = null,
): Attention => {
  const named = { kind, taskId: null, worktree: null, agentId: null, requestId: null, ...about }
  return { ...named, since, ...said, command: commandFor({ ...named, personaId }) }
}

const ofConfiguration = async (db: Db): Promise<Attention[]> => {
  const guard = await selectGuard(db)
  return guard?.changed_at ? [attentionItem('configuration', guard.changed_at, configurationSaid(JSON.parse(guard.changes!) as string[]), {})] : []
}

/** Branches and files that other programs have changed. */
const ofWatched = async (db: Db): Promise<Attention[]> => {
  const moves = (await selectMovedTargets(db)).flatMap((row) => viewMove(row) ?? [])
  const checkout = viewCheckout(await selectWatchedCheckout(db))
  return [
    ...moves.map((move) => attentionItem('moved', move.since, movedSaid(move), { target: move.target })),
    ...(checkout === null ? [] : [attentionItem('checkout', checkout.since, checkoutSaid(checkout), {})]),
  ]
}

const ofRequest = (request: RequestView, agent: AgentRow | undefined): Attention[] => {
  const { id, kind, status, agentId, taskId, askedAt } = request
  const said = { ...request, personaId: agent?.persona_id ?? null, ended: agent === undefined }
  return status === 'open' ? [attentionItem(kind, askedAt, requestSaid(said), { taskId, agentId, requestId: id })] : []
}

const ofWorktree = ({ name, integration }: WorktreeView): Attention[] => {
  if (!integration || integration.endedAt !== null) return []
  const kind = waits[integration.status]
  return kind === undefined
    ? []
    : [attentionItem(kind, integration.verification?.endedAt ?? integration.requestedAt, integrationSaid(kind, { ...integration, worktree: name }), { worktree: name })]
}

const waits: Partial<Record<NonNullable<WorktreeView['integration']>['status'], 'approve' | 'conflict' | 'unverified'>> = {
  ready: 'approve',
  conflicted: 'conflict',
  unverified: 'unverified',
}

/** True if its agent is blocked until it is answered. */
const holdsUp = ({ status, kind }: RequestView): boolean => status === 'open' && kind !== 'denial'

/** Includes facts about the run without progress. */
const stalledItem = async ({ db }: Context, task: TaskView): Promise<Attention> => {
  const said = taskSaid('stalled', task)
  const problem = (await selectRuns(db, { taskId: task.id })).at(-1)?.problem ?? null
  return attentionItem('stalled', task.changedAt, problem === null ? said : { ...said, evidence: `${said.evidence}; ${problem}` }, { taskId: task.id }, task.personaId)
}

/** A task for which no kind of agent exists waits forever, so it is listed here. */
const unstartableItems = async (context: Context): Promise<readonly Attention[]> => {
  const unstartable = new Map((await unstartableOf(context)).map(({ taskId, why }) => [taskId, why]))
  if (unstartable.size === 0) return []
  const tasks = await viewTasks(context.db, await selectTasks(context.db, { ids: [...unstartable.keys()] }))
  return tasks.map((task) => attentionItem('unstartable', task.changedAt, unstartableSaid(task, unstartable.get(task.id)!), { taskId: task.id }, task.personaId))
}

const ofTasks = async (context: Context, worktrees: readonly WorktreeView[], explained: ReadonlySet<number | null>): Promise<Attention[]> => {
  const { db, now } = context
  const find = async (filter: TaskFilter): Promise<readonly TaskView[]> => viewTasks(db, await selectTasks(db, { limit: 100, ...filter }))
  const endedOf = ({ targetWorktree }: TaskView) => worktrees.find(({ name, status }) => name === targetWorktree && status !== 'active')
  const item =
    (kind: 'failed' | 'command') =>
    (task: TaskView): Attention =>
      attentionItem(kind, task.changedAt, taskSaid(kind, task, endedOf(task)), { taskId: task.id }, task.personaId)
  // An agent that is paused, or waits for an answer, makes no progress for a known reason.
  const stalled = (await find({ statuses: ['claimed', 'in_progress'], ...whereOf('is:stalled', context), limit: 1000 })).filter((task) => !explained.has(task.id))
  return [
    ...(await find({ ids: await selectUnallowed(db), availableAt: now })).map(item('command')),
    ...(await unstartableItems(context)),
    ...(await Promise.all(stalled.map((task) => stalledItem(context, task)))),
    ...(await find({ statuses: ['failed'], order: 'newest' })).map(item('failed')),
  ]
}
