import { z } from 'zod'
import { selectRestoring, selectWorktrees } from '../../db/worktrees.ts'
import { selectFolders } from '../../db/tasks.ts'
import { selectAgents } from '../../db/agents.ts'
import { selectEndOfAttempts, selectUnrecordedAttempts } from '../../db/attempts.ts'
import { selectPausedTasks, selectPauses } from '../../db/costs.ts'
import { selectJournals } from '../../db/messages.ts'
import { selectNextWaking } from '../../db/quotas.ts'
import { selectLastEventId } from '../../db/events.ts'
import { selectIntegrations, selectLandedTargets } from '../../db/integrations.ts'
import type { IntegrationRow, WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectGuardHashes, selectMovedTargets } from '../../db/repository.ts'
import { selectNextDue } from '../../db/task-queue.ts'
import { selectFleet } from '../../db/hosts.ts'
import { selectWantedRules } from '../../db/requests.ts'
import { GONE } from '../../domain/agent/agent.ts'
import { restsUnbuilt } from '../../domain/worktree/placement-failures.ts'
import type { Db } from '../../db/engine/db.ts'
import { type Context, hostOf, isHome } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { remoteView, usedRemote } from '../hosts/remote.ts'
import { onHost } from '../hosts/hosts.ts'
import { awayHosts } from '../hosts/liveness.ts'
import { integrationView, viewIntegration } from '../views/worktrees.ts'
import {
  agentRun,
  type AgentRun,
  worktreeWork,
  type WorktreeWork,
  restoreWork,
  putBackWork,
  type PutBackWork,
  endedAttempt,
  type EndedAttempt,
  ruleWork,
  type RuleWork,
} from './wishes.ts'

export type { AgentRun, EndedAttempt, PutBackWork, RestoreWork, RuleWork, WorktreeWork } from './wishes.ts'

export const readWishes = operation({
  name: 'read_wishes',
  summary: 'Read everything that remains to be done outside the database, as far as it is on this host',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      runs: z.array(agentRun()),
      worktrees: z.array(worktreeWork()),
      restores: z.array(restoreWork()),
      putBacks: z.array(putBackWork()),
      rules: z.array(ruleWork()),
      /** Ended attempts whose commits are not recorded. */
      attempts: z.array(endedAttempt()),
      /** Empty while the configuration of the repository is not the trusted one. */
      integrations: z.array(integrationView().extend({ worktree: z.string() })),
      /** True if the changed configuration blocks integrations. */
      configurationChanged: z.boolean(),
      /** The git remote of the board, if several hosts exchange code through it. */
      remote: remoteView().nullable(),
      /** True if a person allows that uncommitted work is pushed there. */
      snapshots: z.boolean(),
      /** With a remote: worktrees of other hosts that are to be integrated here. */
      elsewhere: z.array(worktreeWork()),
      /** With a remote: the targets that integrations have moved, with the last of these. */
      landed: z.array(z.object({ target: z.string(), id: z.int() })),
      /** The hash of the trusted configuration. */
      trusted: z.string().nullable(),
      /** Grows with every event except heartbeats. */
      lastEvent: z.int(),
      /** When the next waiting retry becomes due. */
      nextDue: z.string().nullable(),
    }),
  run: async (context) => {
    const { db, now } = context
    const host = hostOf(context)
    // The main checkout is on the first host, and so are the targets.
    const home = isHome(context)
    const guard = await selectGuardHashes(db)
    const changed = (guard?.changed_hash ?? null) !== null
    const integrations = await selectIntegrations(db, { statuses: ['requested', 'verifying', 'approved', 'moving'] })
    const remote = await usedRemote(context)
    return {
      remote,
      snapshots: remote !== null && (await selectFleet(db)).snapshots,
      elsewhere: remote === null || !home ? [] : await readElsewhere(context, host, integrations),
      landed: remote === null ? [] : [...(await selectLandedTargets(db))],
      runs: await readRuns(db, host),
      attempts: await readEndedAttempts(db, host),
      worktrees: await readWorktreeWork(db, host, integrations),
      restores: (await onHost(db, host, await selectRestoring(db), ({ worktree }) => worktree)).map((row) => ({
        worktree: row.worktree,
        path: row.path,
        branch: row.branch_name,
        ref: row.ref,
        trashPath: row.trash_path,
      })),
      putBacks: home ? await readPutBacks(db) : [],
      rules: home ? await readRules(db) : [],
      integrations:
        changed || !home ? [] : integrations.map((row) => ({ ...viewIntegration(row), worktree: row.worktree })),
      configurationChanged: home && changed && integrations.length > 0,
      trusted: guard?.hash ?? null,
      lastEvent: await selectLastEventId(db),
      nextDue:
        [await selectNextWaking(db, now), await selectNextDue(db, now)].filter((at) => at !== null).sort()[0] ?? null,
    }
  },
})

/** The run of every agent whose process is to be started, watched or ended here. */
const readRuns = async (db: Db, host: string | null): Promise<AgentRun[]> => {
  const live = await selectAgents(db, { live: true, processes: ['waiting', 'wanted', 'started'] })
  const agents = live.filter((agent) => agent.host_id === host)
  const ids = agents.filter((agent) => agent.process === 'started').map((agent) => agent.id)
  const done = await selectEndOfAttempts(db, ids)
  const tasks = agents.flatMap((agent) => agent.task_id ?? [])
  const folders = await selectFolders(db, tasks)
  const holders = new Map((await selectPausedTasks(db)).map((task) => [task.task_id, task.assigned_agent_id]))
  const journals = await selectJournals(db, ids)
  const pauses = new Map((await selectPauses(db)).map((pause) => [`${pause.agent_id}.${pause.run}`, pause.paused_at]))
  return agents.map((agent) => ({
    agentId: agent.id,
    personaId: agent.persona_id,
    kind: agent.kind,
    run: agent.run,
    process: agent.process,
    taskId: agent.task_id,
    worktree: agent.assigned_worktree,
    folder: agent.task_id === null ? null : (folders.get(agent.task_id) ?? null),
    identity:
      agent.process_id === null
        ? null
        : { pid: agent.process_id, startedAt: agent.process_started_at!, bootId: agent.boot_id! },
    environment: agent.environment === null ? {} : (JSON.parse(agent.environment) as Record<string, string>),
    stopRequestedAt: agent.stop_requested_at,
    ofAgent: agent.parent_agent_id !== null && agent.parent_agent_id !== 'human',
    gone: agent.stop_reason === GONE,
    doneAt: done.get(agent.id) ?? null,
    held:
      agent.process === 'started' &&
      agent.task_id !== null &&
      holders.get(agent.task_id) === agent.id &&
      agent.stop_requested_at === null,
    pausedAt: pauses.get(`${agent.id}.${agent.run}`) ?? null,
    talks: agent.process === 'started' && journals.has(`${agent.id}.${agent.run}`),
  }))
}

const readEndedAttempts = async (db: Db, host: string | null): Promise<EndedAttempt[]> =>
  (host === null ? [] : await selectUnrecordedAttempts(db, host)).map((row) => ({
    taskId: row.task_id,
    attempt: row.attempt,
    claimedAt: row.claimed_at,
    endedAt: row.ended_at,
    worktree: row.target_worktree,
  }))

const readWorktreeWork = async (
  db: Db,
  host: string | null,
  integrations: readonly IntegrationRow[],
): Promise<WorktreeWork[]> => {
  const rows = await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })
  const unbuilt = new Set(rows.flatMap(({ name, folder }) => (folder === 'building' ? [name] : [])))
  // One that moves stays until the one that continues it is built.
  const stays = ({ folder, move_to: to, successor }: WorktreeRow): boolean =>
    folder === 'leaving' && to !== null && successor !== null && unbuilt.has(successor)
  return rows
    .filter((row) => row.host_id === host && !stays(row) && !restsUnbuilt(row))
    .map((row) => workOf(row, integrations, { isElsewhere: false, isAway: false }))
}

/** The worktrees of other hosts that have an open integration. */
const readElsewhere = async (
  context: Context,
  host: string | null,
  integrations: readonly IntegrationRow[],
): Promise<WorktreeWork[]> => {
  const wanted = new Set(integrations.map(({ worktree }) => worktree))
  const rows = (await selectWorktrees(context.db, { folders: ['ready'] })).filter(
    (row) => row.host_id !== host && wanted.has(row.name),
  )
  const away = rows.length === 0 ? [] : await awayHosts(context)
  return rows.map((row) => workOf(row, integrations, { isElsewhere: true, isAway: away.includes(row.host_id) }))
}

const workOf = (
  row: WorktreeRow,
  integrations: readonly IntegrationRow[],
  place: Pick<WorktreeWork, 'isElsewhere' | 'isAway'>,
): WorktreeWork => ({
  name: row.name,
  branch: row.branch_name,
  source: row.source_branch,
  path: row.path,
  folder: row.folder,
  status: row.status,
  reason: row.discard_reason,
  endedAt: row.ended_at,
  baseOid: row.base_oid,
  createdAt: row.created_at,
  pushedOid: row.pushed_oid,
  pushedAt: row.pushed_at,
  continues: row.continues,
  successor: row.successor,
  wipOid: row.wip_oid,
  moves: row.folder === 'ready' && row.move_to !== null,
  ...place,
  requestedAt:
    integrations.find(({ worktree, status }) => worktree === row.name && status === 'requested')?.requested_at ?? null,
})

const readPutBacks = async (db: Db): Promise<PutBackWork[]> =>
  (await selectMovedTargets(db)).flatMap((row) =>
    row.put_back_at === null || row.known_oid === null
      ? []
      : [{ target: row.target, from: row.moved_oid, to: row.known_oid, askedAt: row.put_back_at }],
  )

const readRules = async (db: Db): Promise<RuleWork[]> =>
  (await selectWantedRules(db)).map((row) => ({
    requestId: row.request_id,
    personaId: row.persona_id,
    rule: row.rule!,
  }))
