import { selectChangedHostGuards, selectGuard, selectMovedTargets, selectWatchedCheckout } from '../../db/repository.ts'
import { selectUnsettledReturns } from '../../db/hosts.ts'
import { selectUnreadMail } from '../../db/messages.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import type { Db } from '../../db/engine/db.ts'
import { byUrgency } from '../../domain/request/inbox.ts'
import {
  checkoutSaid,
  cloneSaid,
  configurationSaid,
  integrationSaid,
  mailSaid,
  movedSaid,
  requestSaid,
  returnedSaid,
} from '../../domain/request/inbox-items.ts'
import { askedBudgets } from '../budgets/asked-budgets.ts'
import type { Context } from '../perform/core.ts'
import type { RequestView } from '../requests/requests.ts'
import type { WorktreeView } from '../views/worktrees.ts'
import { viewCheckout, viewMove } from '../integration/drift.ts'
import { type Attention, attentionItem } from './attention-item.ts'
import { ofTasks } from './attention-tasks.ts'

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

/** True if its agent is blocked until it is answered. */
const holdsUp = ({ status, kind }: RequestView): boolean => status === 'open' && kind !== 'denial'
