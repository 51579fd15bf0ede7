import { z } from 'zod'
import { selectAskedTasks } from '../../db/costs.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { selectUnsettledReturns } from '../../db/hosts.ts'
import { selectUnreadMail } from '../../db/messages.ts'
import { selectChangedHostGuards, selectGuard, selectMovedTargets, selectWatchedCheckout } from '../../db/repository.ts'
import { selectRuns } from '../../db/runs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import { selectUnallowed } from '../../db/task-queue.ts'
import { selectTasks, type TaskFilter } from '../../db/tasks.ts'
import {
  checkoutSaid,
  cloneSaid,
  commandFor,
  configurationSaid,
  integrationSaid,
  mailSaid,
  movedSaid,
  requestSaid,
  returnedSaid,
  type Said,
  sessionBudgetSaid,
  taskBudgetSaid,
  taskSaid,
  unstartableSaid,
} from '../../domain/request/inbox-items.ts'
import { attentionKinds, byUrgency } from '../../domain/request/inbox.ts'
import type { Instant } from '../../domain/words/time.ts'
import { budgetOfSession, usageOfSession, usageOfTask } from '../budgets/budgets.ts'
import { viewCheckout, viewMove } from '../integration/drift.ts'
import type { Context } from '../perform/core.ts'
import { lazyObject } from '../perform/schemas.ts'
import type { RequestView } from '../requests/requests.ts'
import { unstartableOf } from '../tasks/held-tasks.ts'
import { whereOf } from '../tasks/list.ts'
import { type TaskView, viewTasks } from '../views/tasks.ts'
import type { WorktreeView } from '../views/worktrees.ts'

/** An item that waits for a person. */
export const attention = lazyObject(() => ({
  kind: z.enum(attentionKinds),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** The agent's request and its number. */
  agentId: z.string().nullable(),
  requestId: z.int().nullable(),
  /** The branch that was moved, if any. */
  target: z.string().optional(),
  /** The host that is back, if any. */
  host: z.string().optional(),
  since: z.string(),
  text: z.string(),
  /** The evidence in one line. */
  evidence: z.string(),
  /** The command that answers it, for a person without a console. */
  command: z.string(),
  /** A key that items share if they may be answered together; null if each is decided alone. */
  like: z.string().nullable(),
}))
export type Attention = z.output<ReturnType<typeof attention>>

/** Everything that waits for a person, the most urgent first. */
export const readAttention = async (
  context: Context,
  requests: readonly RequestView[],
  worktrees: readonly WorktreeView[],
  agents: readonly AgentRow[],
  running: SessionRow | undefined,
): Promise<Attention[]> => {
  const live = new Map(agents.flatMap((agent) => (agent.status === 'terminated' ? [] : [[agent.id, agent] as const])))
  const asked = askedBudgets(context, running)
  const explained = asked.then(
    (budgets) => new Set([...budgets, ...requests.filter(holdsUp)].map(({ taskId }) => taskId)),
  )
  const [budgets, configuration, watched, mail, returns, tasks] = await Promise.all([
    asked,
    ofConfiguration(context),
    ofWatched(context.db),
    ofMail(context.db),
    ofReturns(context.db),
    ofTasks(context, worktrees, explained),
  ])
  return byUrgency([
    ...configuration,
    ...watched,
    ...mail,
    ...returns,
    ...requests.flatMap((request) => ofRequest(request, live.get(request.agentId))),
    ...worktrees.flatMap(ofWorktree),
    ...budgets.map(({ taskId, since, said }) => attentionItem('budget', since, said, { taskId })),
    ...tasks,
  ])
}

/** A budget that waits for a person's answer; the session's if no task is named. */
interface AskedBudget {
  readonly taskId: number | null
  readonly since: Instant
  readonly said: Said
}

/** `running` is the running session, if there is one. */
const askedBudgets = async (context: Context, running: SessionRow | undefined): Promise<readonly AskedBudget[]> =>
  (await together(running ? ofSession(context, running) : [], budgetsOfTasks(context))).flat()

const ofSession = async (context: Context, session: SessionRow): Promise<readonly AskedBudget[]> => {
  const { budget, askedAt } = await budgetOfSession(context, session.id)
  return askedAt === null
    ? []
    : [{ taskId: null, since: askedAt, said: sessionBudgetSaid(budget, await usageOfSession(context, session.id)) }]
}

const budgetsOfTasks = async ({ db }: Context): Promise<readonly AskedBudget[]> =>
  Promise.all(
    (await selectAskedTasks(db)).map(async (task) => ({
      taskId: task.task_id,
      since: task.asked_at!,
      said: taskBudgetSaid(
        { id: task.task_id, title: task.title, agentId: task.status === 'pending' ? null : task.assigned_agent_id },
        { costUsd: task.cost_usd, tokens: task.tokens },
        await usageOfTask({ db }, task.task_id),
      ),
    })),
  )

/** True if its agent is blocked until it is answered. */
const holdsUp = ({ status, kind }: RequestView): boolean => status === 'open' && kind !== 'denial'

const ofConfiguration = async ({ db, host }: Context): Promise<Attention[]> => {
  // A board with one host has no other clones.
  const [guard, clones] = await Promise.all([selectGuard(db), host === undefined ? [] : selectChangedHostGuards(db)])
  return [
    ...(guard?.changed_at
      ? [
          attentionItem(
            'configuration',
            guard.changed_at,
            configurationSaid(JSON.parse(guard.changes!) as string[]),
            {},
          ),
        ]
      : []),
    ...clones.map(({ name, changed_at: at }) => attentionItem('configuration', at!, cloneSaid(name), { host: name })),
  ]
}

/** Branches and files that other programs have changed. */
const ofWatched = async (db: Db): Promise<Attention[]> => {
  const [moved, looked] = await Promise.all([selectMovedTargets(db), selectWatchedCheckout(db)])
  const moves = moved.flatMap((row) => viewMove(row) ?? [])
  const checkout = viewCheckout(looked)
  return [
    ...moves.map((move) => attentionItem('moved', move.since, movedSaid(move), { target: move.target })),
    ...(checkout === null ? [] : [attentionItem('checkout', checkout.since, checkoutSaid(checkout), {})]),
  ]
}

/** The unread messages to the person: one item per author. */
const ofMail = async (db: Db): Promise<Attention[]> => {
  const unread = Map.groupBy(await selectUnreadMail(db, 'human'), ({ author }) => author)
  return [...unread].map(([author, messages]) =>
    attentionItem(
      'mail',
      messages[0]!.said_at,
      mailSaid({ author, texts: messages.map(({ body }) => body), taskId: messages[0]!.task_id }),
      { agentId: author },
    ),
  )
}

/** Hosts that are back with worktrees from before they were lost: one item per host, until nothing of it is left or a person has seen it. */
const ofReturns = async (db: Db): Promise<Attention[]> => {
  const rows = Map.groupBy(await selectUnsettledReturns(db), ({ host }) => host)
  return [...rows].flatMap(([host, worktrees]) =>
    worktrees.some(({ folder }) => folder === 'ready')
      ? [attentionItem('returned', worktrees[0]!.returned_at, returnedSaid(host, worktrees), { host })]
      : [],
  )
}

const ofTasks = async (
  context: Context,
  worktrees: readonly WorktreeView[],
  explaining: Promise<ReadonlySet<number | null>>,
): Promise<Attention[]> => {
  const { db, now } = context
  const find = async (filter: TaskFilter): Promise<readonly TaskView[]> =>
    viewTasks(db, await selectTasks(db, { limit: 100, ...filter }))
  const endedOf = ({ targetWorktree }: TaskView) =>
    worktrees.find(({ name, status }) => name === targetWorktree && status !== 'active')
  const item =
    (kind: 'failed' | 'command') =>
    (task: TaskView): Attention =>
      attentionItem(kind, task.changedAt, taskSaid(kind, task, endedOf(task)), { taskId: task.id }, task.personaId)
  const [explained, unallowed, unstartable, held, failed] = await Promise.all([
    explaining,
    selectUnallowed(db).then((ids) => find({ ids, availableAt: now })),
    unstartableItems(context),
    find({ statuses: ['claimed', 'in_progress'], ...whereOf('is:stalled', context), limit: 1000 }),
    find({ statuses: ['failed'], order: 'newest' }),
  ])
  // An agent that is paused, or waits for an answer, makes no progress for a known reason.
  const stalled = held.filter((task) => !explained.has(task.id))
  return [
    ...unallowed.map(item('command')),
    ...unstartable,
    ...(await Promise.all(stalled.map((task) => stalledItem(context, task)))),
    ...failed.map(item('failed')),
  ]
}

/** A task for which no kind of agent exists waits forever, so it is listed here. */
const unstartableItems = async (context: Context): Promise<readonly Attention[]> => {
  const unstartable = new Map((await unstartableOf(context)).map(({ taskId, why }) => [taskId, why]))
  if (unstartable.size === 0) return []
  const tasks = await viewTasks(context.db, await selectTasks(context.db, { ids: [...unstartable.keys()] }))
  return tasks.map((task) =>
    attentionItem(
      'unstartable',
      task.changedAt,
      unstartableSaid(task, unstartable.get(task.id)!),
      { taskId: task.id },
      task.personaId,
    ),
  )
}

/** Includes facts about the run without progress. */
const stalledItem = async ({ db }: Context, task: TaskView): Promise<Attention> => {
  const said = taskSaid('stalled', task)
  const problem = (await selectRuns(db, { taskId: task.id })).at(-1)?.problem ?? null
  return attentionItem(
    'stalled',
    task.changedAt,
    problem === null ? said : { ...said, evidence: `${said.evidence}; ${problem}` },
    { taskId: task.id },
    task.personaId,
  )
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
    : [
        attentionItem(
          kind,
          integration.verification?.endedAt ?? integration.requestedAt,
          integrationSaid(kind, { ...integration, worktree: name }),
          { worktree: name },
        ),
      ]
}

const waits: Partial<
  Record<NonNullable<WorktreeView['integration']>['status'], 'approve' | 'conflict' | 'unverified'>
> = {
  ready: 'approve',
  conflicted: 'conflict',
  unverified: 'unverified',
}

/** An item without a subject except the given fields. */
export const attentionItem = (
  kind: Attention['kind'],
  since: string,
  said: Said,
  about: Partial<Pick<Attention, 'taskId' | 'worktree' | 'agentId' | 'requestId' | 'target' | 'host'>>,
  personaId: string | null = null,
): Attention => {
  const named = { kind, taskId: null, worktree: null, agentId: null, requestId: null, ...about }
  return { ...named, since, ...said, command: commandFor({ ...named, personaId }) }
}
