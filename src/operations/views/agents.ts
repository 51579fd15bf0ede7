import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { selectLatestEnds } from '../../db/attempts.ts'
import { selectPauses, selectUsage } from '../../db/costs.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectContexts } from '../../db/runs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import type { PersonaRow } from '../../db/schema/schema.ts'
import { agentStates, type LeftProcess, processStates } from '../../domain/agent/agent.ts'
import { contextHealth } from '../../domain/agent/context-health.ts'
import { hostStates, LOCAL } from '../../domain/host/host.ts'
import { lazyObject } from '../perform/schemas.ts'
import { usageView, viewUsage } from './usage.ts'

export const agentView = lazyObject(() => ({
  id: z.string(),
  personaId: z.string(),
  kind: z.string(),
  status: z.enum(agentStates),
  process: z.enum(processStates),
  run: z.int(),
  processId: z.int().nullable(),
  assignedWorktree: z.string().nullable(),
  /** The folder of that worktree (seed 004). */
  worktreePath: z.string().nullable(),
  parentAgentId: z.string().nullable(),
  registeredAt: z.string(),
  lastHeartbeat: z.string(),
  taskId: z.int().nullable(),
  exitCode: z.int().nullable(),
  launchError: z.string().nullable(),
  stopRequestedAt: z.string().nullable(),
  stopReason: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Processes of its last run that still ran after its end. */
  left: z.array(z.object({ pid: z.int(), name: z.string() })),
  /** The end of its last task, if it has had one and has none now. */
  freeSince: z.string().nullable(),
  /** The sum over all its runs. */
  usage: usageView(),
  /** When its process was stopped, because a person must answer about the budget of its task. */
  pausedAt: z.string().nullable(),
  /** The context of its run in tokens; null if unknown. */
  context: z.object({ tokens: z.int(), window: z.int(), percent: z.int(), estimated: z.boolean() }).nullable(),
  /** Where its process is, if agents run on other hosts than the first. */
  host: z.object({ name: z.string(), state: z.enum(hostStates), beatAt: z.string().nullable() }).optional(),
}))
export type AgentView = z.output<ReturnType<typeof agentView>>

export const viewAgents = async (db: Db, rows: readonly AgentRow[]): Promise<AgentView[]> => {
  const ids = rows.map((row) => row.id)
  const away = rows.some(({ host_id: id }) => id !== LOCAL)
  const [[held, free], contexts, usages, paused, hostRows] = await together(
    heldAndFree(db, rows),
    contextsOf(db, ids),
    selectUsage(db, 'agent', ids),
    selectPauses(db),
    away ? selectHosts(db) : [],
  )
  const pauses = new Map(paused.map((pause) => [`${pause.agent_id}.${pause.run}`, pause.paused_at]))
  const hosts = new Map(hostRows.map((host) => [host.id, host]))
  return rows.map((row) => ({
    id: row.id,
    personaId: row.persona_id,
    kind: row.kind,
    status: row.status,
    process: row.process,
    run: row.run,
    processId: row.process_id,
    assignedWorktree: row.assigned_worktree,
    worktreePath: row.worktree_path,
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
    ...hostOf(hosts.get(row.host_id)),
  }))
}

const hostOf = (host: HostRow | undefined): Pick<AgentView, 'host'> =>
  host === undefined ? {} : { host: { name: host.name, state: host.state, beatAt: host.beat_at } }

/** The tasks that agents hold, and since when those without one are free. */
const heldAndFree = async (db: Db, rows: readonly AgentRow[]) => {
  const held = new Map(
    (
      await selectHeldTasks(
        db,
        rows.map((row) => row.id),
      )
    ).map((task) => [task.agent_id, task.task_id]),
  )
  const free = await selectLatestEnds(
    db,
    rows.filter((row) => row.status !== 'terminated' && !held.has(row.id)).map((row) => row.id),
  )
  return [held, free] as const
}

const contextsOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<AgentView['context']>>> =>
  new Map(
    (await selectContexts(db, ids)).map((row) => [
      row.agent_id,
      contextHealth({ tokens: row.tokens, window: row.context_window, estimated: row.estimated === 1 }),
    ]),
  )

export const personaView = lazyObject(() => ({
  id: z.string(),
  name: z.string(),
  role: z.enum(['planner', 'worker', 'person']),
  definition: z.string(),
  source: z.enum(['built-in', 'file', 'set']),
  createdAt: z.string(),
  updatedAt: z.string(),
}))
type PersonaView = z.output<ReturnType<typeof personaView>>

export const viewPersona = (row: PersonaRow): PersonaView => ({
  id: row.id,
  name: row.name,
  role: row.role,
  definition: row.definition,
  source: row.source,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
