import { z } from 'zod'
import { selectRestoring } from '../../db/archives.ts'
import { selectFolders } from '../../db/assignments.ts'
import { selectAgents } from '../../db/agents.ts'
import { selectEndOfAttempts } from '../../db/attempts.ts'
import { selectAskedTasks, selectPauses } from '../../db/budgets.ts'
import { selectNextWaking } from '../../db/sleeps.ts'
import { selectUnrecordedAttempts } from '../../db/task-commits.ts'
import { selectLastEventId } from '../../db/events.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import { selectGuardHashes } from '../../db/repository-guard.ts'
import { selectNextDue } from '../../db/task-queue.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { GONE } from '../../domain/agent/agent.ts'
import { selectMovedTargets } from '../../db/watched.ts'
import { worktreeStates } from '../../domain/worktree/worktree.ts'
import { operation } from '../door/operation.ts'
import { integrationView, viewIntegration } from '../views/views.ts'

const agentRun = z.object({
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
  /** True if a person says that the host or container of its process no longer exists. */
  gone: z.boolean(),
  /** When the attempt it was started for ended, if it has; its process has nothing left to do. */
  doneAt: z.string().nullable(),
  /** True if its task has used its budget up and a person has not answered: the process must be stopped meanwhile. */
  held: z.boolean(),
  /** When it was stopped. */
  pausedAt: z.string().nullable(),
})
export type AgentRun = z.output<typeof agentRun>

const worktreeWork = z.object({
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
})
export type WorktreeWork = z.output<typeof worktreeWork>

const restoreWork = z.object({ worktree: z.string(), path: z.string(), branch: z.string(), ref: z.string(), trashPath: z.string().nullable() })
/** A worktree to be restored from its archive. */
export type RestoreWork = z.output<typeof restoreWork>

const putBackWork = z.object({ target: z.string(), from: z.string().nullable(), to: z.string(), askedAt: z.string() })
/** A target that a person wants reset, from one commit to another. */
export type PutBackWork = z.output<typeof putBackWork>

const endedAttempt = z.object({ taskId: z.int(), attempt: z.int(), claimedAt: z.string(), endedAt: z.string(), worktree: z.string().nullable() })
export type EndedAttempt = z.output<typeof endedAttempt>

export const readWishes = operation({
  name: 'read_wishes',
  summary: 'Read everything that remains to be done outside the database',
  access: 'read',
  authority: 'system',
  input: z.strictObject({}),
  output: z.object({
    runs: z.array(agentRun),
    worktrees: z.array(worktreeWork),
    restores: z.array(restoreWork),
    putBacks: z.array(putBackWork),
    /** Ended attempts whose commits are not recorded. */
    attempts: z.array(endedAttempt),
    /** Empty while the configuration of the repository is not the trusted one. */
    integrations: z.array(integrationView.extend({ worktree: z.string() })),
    /** True if the changed configuration blocks integrations. */
    configurationChanged: z.boolean(),
    /** The hash of the trusted configuration. */
    trusted: z.string().nullable(),
    /** Grows with every event except heartbeats. */
    lastEvent: z.int(),
    /** When the next waiting retry becomes due. */
    nextDue: z.string().nullable(),
  }),
  run: async ({ db, now }) => {
    const agents = await selectAgents(db, { live: true, processes: ['waiting', 'wanted', 'started'] })
    const done = await selectEndOfAttempts(
      db,
      agents.filter((agent) => agent.process === 'started').map((agent) => agent.id),
    )
    const folders = await selectFolders(
      db,
      agents.flatMap((agent) => agent.task_id ?? []),
    )
    const holders = new Map((await selectAskedTasks(db)).map((task) => [task.task_id, task.assigned_agent_id]))
    const pauses = new Map((await selectPauses(db)).map((pause) => [`${pause.agent_id}.${pause.run}`, pause.paused_at]))
    const wakes = await selectNextWaking(db, now)
    const guard = await selectGuardHashes(db)
    const changed = (guard?.changed_hash ?? null) !== null
    const integrations = await selectIntegrations(db, { statuses: ['requested', 'verifying', 'approved', 'moving'] })
    return {
      runs: agents.map((agent) => ({
        agentId: agent.id,
        personaId: agent.persona_id,
        kind: agent.kind,
        run: agent.run,
        process: agent.process,
        taskId: agent.task_id,
        worktree: agent.assigned_worktree,
        folder: agent.task_id === null ? null : (folders.get(agent.task_id) ?? null),
        identity: agent.process_id === null ? null : { pid: agent.process_id, startedAt: agent.process_started_at!, bootId: agent.boot_id! },
        environment: agent.environment === null ? {} : (JSON.parse(agent.environment) as Record<string, string>),
        stopRequestedAt: agent.stop_requested_at,
        ofAgent: agent.parent_agent_id !== null && agent.parent_agent_id !== 'human',
        gone: agent.stop_reason === GONE,
        doneAt: done.get(agent.id) ?? null,
        held: agent.process === 'started' && agent.task_id !== null && holders.get(agent.task_id) === agent.id && agent.stop_requested_at === null,
        pausedAt: pauses.get(`${agent.id}.${agent.run}`) ?? null,
      })),
      attempts: (await selectUnrecordedAttempts(db)).map((row) => ({
        taskId: row.task_id,
        attempt: row.attempt,
        claimedAt: row.claimed_at,
        endedAt: row.ended_at,
        worktree: row.target_worktree,
      })),
      worktrees: (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).map((row) => ({
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
      })),
      restores: (await selectRestoring(db)).map((row) => ({ worktree: row.worktree, path: row.path, branch: row.branch_name, ref: row.ref, trashPath: row.trash_path })),
      putBacks: (await selectMovedTargets(db)).flatMap((row) =>
        row.put_back_at === null || row.known_oid === null ? [] : [{ target: row.target, from: row.moved_oid, to: row.known_oid, askedAt: row.put_back_at }],
      ),
      integrations: changed ? [] : integrations.map((row) => ({ ...viewIntegration(row), worktree: row.worktree })),
      configurationChanged: changed && integrations.length > 0,
      trusted: guard?.hash ?? null,
      lastEvent: await selectLastEventId(db),
      nextDue: [wakes, await selectNextDue(db, now)].filter((at) => at !== null).sort()[0] ?? null,
    }
  },
})
