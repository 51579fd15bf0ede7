import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectEndOfAttempts, selectUnrecordedAttempts } from '../../db/attempts.ts'
import { selectPausedTasks, selectPauses } from '../../db/costs.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectLastEventId } from '../../db/events.ts'
import { selectFleet } from '../../db/hosts.ts'
import { selectIntegrations, selectLandedTargets } from '../../db/integrations.ts'
import { selectJournals } from '../../db/messages.ts'
import { selectNextWaking } from '../../db/quotas.ts'
import { selectGuardHashes, selectMovedTargets } from '../../db/repository.ts'
import { selectWantedRules } from '../../db/requests.ts'
import type { IntegrationRow, WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectNextDue } from '../../db/task-queue.ts'
import { selectFolders } from '../../db/tasks.ts'
import { selectRestoring, selectWorktrees } from '../../db/worktrees.ts'
import { GONE } from '../../domain/agent/agent.ts'
import { restsUnbuilt } from '../../domain/worktree/placement-failures.ts'
import { worktreeStates } from '../../domain/worktree/worktree.ts'
import { onHost } from '../hosts/hosts.ts'
import { awayHosts } from '../hosts/liveness.ts'
import { remoteView, usedRemote } from '../hosts/remote.ts'
import { type Context, hostOf, isHome } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { isAgent, isConfined } from '../tasks/confinement.ts'
import { integrationView, viewIntegration } from '../views/worktrees.ts'

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

const agentRun = lazyObject(() => ({
  agentId: z.string(),
  personaId: z.string(),
  kind: z.string(),
  run: z.int(),
  process: z.enum(['none', 'waiting', 'wanted', 'started', 'ended']),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** Its folder, if it works neither in a worktree nor in the root of the repository. */
  folder: z.string().nullable(),
  /** Set once the process was seen running. */
  identity: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }).nullable(),
  environment: z.record(z.string(), z.string()),
  stopRequestedAt: z.string().nullable(),
  /** True if an agent requested it: it starts only if there is room. */
  ofAgent: z.boolean(),
  /** True if it is to start for an agent that is in a sandbox: then it must be in one too. */
  ofConfined: z.boolean(),
  /** True if a person says that the host or container of its process no longer exists. */
  gone: z.boolean(),
  /** When the attempt it was started for ended, if it has; its process has nothing left to do. */
  doneAt: z.string().nullable(),
  /** True if its task has used its budget up and a person has not answered: the process must be stopped meanwhile. */
  held: z.boolean(),
  /** When it was stopped. */
  pausedAt: z.string().nullable(),
  /** True if its input is a journal, so that it can be spoken to. */
  talks: z.boolean(),
}))
export type AgentRun = z.output<ReturnType<typeof agentRun>>

const worktreeWork = lazyObject(() => ({
  name: z.string(),
  branch: z.string(),
  source: z.string(),
  path: z.string(),
  folder: z.enum(['building', 'ready', 'leaving', 'gone']),
  status: z.enum(worktreeStates),
  /** The reason and the time of its end. */
  reason: z.string().nullable(),
  endedAt: z.string().nullable(),
  baseOid: z.string().nullable(),
  createdAt: z.string(),
  /** The commit of its branch on the remote, and when that was last all of it. */
  pushedOid: z.string().nullable(),
  pushedAt: z.string().nullable(),
  /** True if its branch must be new, because an agent asked for it. */
  isNew: z.boolean(),
  /** The worktree of another host that it continues. */
  continues: z.string().nullable(),
  /** The worktree that continues it on another host. */
  successor: z.string().nullable(),
  /** The last snapshot of its uncommitted work on the remote. */
  wipOid: z.string().nullable(),
  /** True if a person wants it continued on another host. */
  moves: z.boolean(),
  /** True if it is on another host. */
  isElsewhere: z.boolean(),
  /** True if that host cannot push now: it is silent, or was declared lost. */
  isAway: z.boolean(),
  /** When the integration was requested that waits for its merge, or is prepared. */
  requestedAt: z.string().nullable(),
}))
export type WorktreeWork = z.output<ReturnType<typeof worktreeWork>>

const restoreWork = lazyObject(() => ({
  worktree: z.string(),
  path: z.string(),
  branch: z.string(),
  ref: z.string(),
  trashPath: z.string().nullable(),
}))
/** A worktree to be restored from its archive. */
export type RestoreWork = z.output<ReturnType<typeof restoreWork>>

const putBackWork = lazyObject(() => ({
  target: z.string(),
  from: z.string().nullable(),
  to: z.string(),
  askedAt: z.string(),
}))
/** A target that a person wants reset, from one commit to another. */
export type PutBackWork = z.output<ReturnType<typeof putBackWork>>

const endedAttempt = lazyObject(() => ({
  taskId: z.int(),
  attempt: z.int(),
  claimedAt: z.string(),
  endedAt: z.string(),
  worktree: z.string().nullable(),
}))
export type EndedAttempt = z.output<ReturnType<typeof endedAttempt>>

/** A rule that a person wants in the configuration, for a persona. */
const ruleWork = lazyObject(() => ({ requestId: z.int(), personaId: z.string(), rule: z.string() }))
export type RuleWork = z.output<ReturnType<typeof ruleWork>>

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
  const ofConfined = new Set<string>()
  for (const { id, process, parent_agent_id: parent } of agents)
    if (process === 'wanted' && isAgent(parent) && (await isConfined(db, parent))) ofConfined.add(id)
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
    ofAgent: isAgent(agent.parent_agent_id),
    ofConfined: ofConfined.has(agent.id),
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
  isNew: isAgent(row.created_by) && row.continues === null,
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
