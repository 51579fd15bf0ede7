import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { selectLatestEnds } from '../../db/attempts.ts'
import { selectPauses } from '../../db/budgets.ts'
import { selectContexts } from '../../db/run-contexts.ts'
import type { AgentRow } from '../../db/schema.ts'
import type { Db } from '../../db/sqlite.ts'
import { selectUsage } from '../../db/usage.ts'
import { agentStates, type LeftProcess, processStates } from '../../domain/agent.ts'
import { contextHealth } from '../../domain/context-health.ts'
import { usageView, viewUsage } from './budgets.ts'

export const agentView = z.object({
  id: z.string(),
  personaId: z.string(),
  kind: z.string(),
  status: z.enum(agentStates),
  process: z.enum(processStates),
  run: z.int(),
  processId: z.int().nullable(),
  assignedWorktree: z.string().nullable(),
  parentAgentId: z.string().nullable(),
  registeredAt: z.string(),
  lastHeartbeat: z.string(),
  taskId: z.int().nullable(),
  exitCode: z.int().nullable(),
  launchError: z.string().nullable(),
  stopRequestedAt: z.string().nullable(),
  stopReason: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Processes of its last run that were left when that had ended. */
  left: z.array(z.object({ pid: z.int(), name: z.string() })),
  /** When its last task was over, where it has none now and has had one. */
  freeSince: z.string().nullable(),
  /** Of all its runs. */
  usage: usageView,
  /** Its process is stopped since then: a person is asked about the budget of its task. */
  pausedAt: z.string().nullable(),
  /** How full the context of its run is, in tokens; null where nothing is known of it. */
  context: z.object({ tokens: z.int(), window: z.int(), percent: z.int(), estimated: z.boolean() }).nullable(),
})
export type AgentView = z.output<typeof agentView>

export const viewAgents = async (db: Db, rows: readonly AgentRow[]): Promise<AgentView[]> => {
  const held = new Map(
    (
      await selectHeldTasks(
        db,
        rows.map((row) => row.id),
      )
    ).map((task) => [task.agent_id, task.task_id]),
  )
  const contexts = await contextsOf(db, rows)
  const free = await selectLatestEnds(
    db,
    rows.filter((row) => row.status !== 'terminated' && !held.has(row.id)).map((row) => row.id),
  )
  const usages = await selectUsage(
    db,
    'agent',
    rows.map((row) => row.id),
  )
  const pauses = new Map((await selectPauses(db)).map((pause) => [`${pause.agent_id}.${pause.run}`, pause.paused_at]))
  return rows.map((row) => ({
    id: row.id,
    personaId: row.persona_id,
    kind: row.kind,
    status: row.status,
    process: row.process,
    run: row.run,
    processId: row.process_id,
    assignedWorktree: row.assigned_worktree,
    parentAgentId: row.parent_agent_id,
    registeredAt: row.registered_at,
    lastHeartbeat: row.last_heartbeat,
    taskId: held.get(row.id) ?? row.task_id,
    exitCode: row.exit_code,
    launchError: row.launch_error,
    stopRequestedAt: row.stop_requested_at,
    stopReason: row.stop_reason,
    endedAt: row.ended_at,
    left: row.metadata === null ? [] : ((JSON.parse(row.metadata) as { left?: LeftProcess[] }).left ?? []),
    freeSince: free.get(row.id) ?? null,
    usage: viewUsage(usages.get(row.id)),
    pausedAt: pauses.get(`${row.id}.${row.run}`) ?? null,
    context: contexts.get(row.id) ?? null,
  }))
}

const contextsOf = async (db: Db, rows: readonly AgentRow[]): Promise<ReadonlyMap<string, NonNullable<AgentView['context']>>> =>
  new Map(
    (
      await selectContexts(
        db,
        rows.map((row) => row.id),
      )
    ).map((row) => [row.agent_id, contextHealth({ tokens: row.tokens, window: row.context_window, estimated: row.estimated === 1 })]),
  )
