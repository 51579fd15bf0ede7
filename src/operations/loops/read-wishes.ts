import { z } from 'zod'
import { selectRestoring } from '../../db/archives.ts'
import { selectFolders } from '../../db/assignments.ts'
import { selectAgents } from '../../db/agents.ts'
import { selectEndOfAttempts } from '../../db/latest-attempts.ts'
import { selectAskedTasks, selectPauses } from '../../db/budgets.ts'
import { selectJournals } from '../../db/messages.ts'
import { selectNextWaking } from '../../db/sleeps.ts'
import { selectUnrecordedAttempts } from '../../db/task-commits.ts'
import { selectLastEventId } from '../../db/events.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import { selectGuardHashes } from '../../db/repository-guard.ts'
import { selectNextDue } from '../../db/task-queue.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { GONE } from '../../domain/agent/agent.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectMovedTargets } from '../../db/watched.ts'
import { operation } from '../door/operation.ts'
import { integrationView, viewIntegration } from '../views/views.ts'
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
} from './wishes.ts'

export type { AgentRun, EndedAttempt, PutBackWork, RestoreWork, WorktreeWork } from './wishes.ts'

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
    const guard = await selectGuardHashes(db)
    const changed = (guard?.changed_hash ?? null) !== null
    const integrations = await selectIntegrations(db, { statuses: ['requested', 'verifying', 'approved', 'moving'] })
    return {
      runs: await readRuns(db),
      attempts: await readEndedAttempts(db),
      worktrees: await readWorktreeWork(db),
      restores: (await selectRestoring(db)).map((row) => ({
        worktree: row.worktree,
        path: row.path,
        branch: row.branch_name,
        ref: row.ref,
        trashPath: row.trash_path,
      })),
      putBacks: await readPutBacks(db),
      integrations: changed ? [] : integrations.map((row) => ({ ...viewIntegration(row), worktree: row.worktree })),
      configurationChanged: changed && integrations.length > 0,
      trusted: guard?.hash ?? null,
      lastEvent: await selectLastEventId(db),
      nextDue:
        [await selectNextWaking(db, now), await selectNextDue(db, now)].filter((at) => at !== null).sort()[0] ?? null,
    }
  },
})

/** The run of every agent whose process is to be started, watched or ended. */
const readRuns = async (db: Db): Promise<AgentRun[]> => {
  const agents = await selectAgents(db, { live: true, processes: ['waiting', 'wanted', 'started'] })
  const ids = agents.filter((agent) => agent.process === 'started').map((agent) => agent.id)
  const done = await selectEndOfAttempts(db, ids)
  const tasks = agents.flatMap((agent) => agent.task_id ?? [])
  const folders = await selectFolders(db, tasks)
  const holders = new Map((await selectAskedTasks(db)).map((task) => [task.task_id, task.assigned_agent_id]))
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

const readEndedAttempts = async (db: Db): Promise<EndedAttempt[]> =>
  (await selectUnrecordedAttempts(db)).map((row) => ({
    taskId: row.task_id,
    attempt: row.attempt,
    claimedAt: row.claimed_at,
    endedAt: row.ended_at,
    worktree: row.target_worktree,
  }))

const readWorktreeWork = async (db: Db): Promise<WorktreeWork[]> =>
  (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).map((row) => ({
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
  }))

const readPutBacks = async (db: Db): Promise<PutBackWork[]> =>
  (await selectMovedTargets(db)).flatMap((row) =>
    row.put_back_at === null || row.known_oid === null
      ? []
      : [{ target: row.target, from: row.moved_oid, to: row.known_oid, askedAt: row.put_back_at }],
  )
