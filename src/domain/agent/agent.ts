import { bytes, someOf } from '../words/counts.ts'
import { clockTime, type Instant } from '../words/time.ts'

/** Seed 004's agent states. `offline`: no heartbeat for the length of a lease; `terminated`: ended finally. */
export const agentStates = ['active', 'idle', 'offline', 'terminated'] as const
export type AgentState = (typeof agentStates)[number]

/**
 * The state of an agent's process: none (it registered itself), waiting (started by aiswarm, without a task to run),
 * wanted (run N must be started), started (run N was started and its identity recorded), ended.
 */
export const processStates = ['none', 'waiting', 'wanted', 'started', 'ended'] as const
export type ProcessState = (typeof processStates)[number]

/** A process is identified by more than its number, which the system reuses. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time in the system's format (clock ticks since boot on Linux, `lstart` of ps elsewhere). */
  readonly startedAt: string
  /** The boot of the system; `BOOT@HOST#NAMESPACE` if the host and the pid namespace of the number are known. */
  readonly bootId: string
}

/** The reason for stopping an agent whose process cannot be looked up from any host or container that still exists. */
export const GONE = 'its host or container no longer exists'

/** A process that a run has left running: aiswarm kills it only on request. */
export interface LeftProcess {
  readonly pid: number
  readonly name: string
}

/** `1 process of it is left: 20169 sleep` */
export const leftWords = (left: readonly LeftProcess[]): string =>
  `${left.length === 1 ? '1 process is' : `${left.length} processes are`} still running: ${someOf(
    left.map(({ pid, name }) => `${pid} ${name}`),
    5,
  )}`

/** A failed look-up is unknown, never dead. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/** The ids of agents: `implementer-1`, `implementer-2`; short enough for a file name. */
export const agentIdOf = (personaId: string, n: number | ''): string => `${personaId.slice(0, 42)}-${n}`

/** Observations of a process. */
export interface ProcessSeen {
  /** Per cent of a core; null if it was observed only once. */
  readonly cpu: number | null
  /** When its output last grew. */
  readonly lastOutput: Instant | null
}

/** `process alive, CPU 0 %, last output 14:02`; empty if it was not observed. */
export const processWords = (seen: ProcessSeen | null | undefined): readonly string[] => {
  if (seen === undefined) return []
  if (seen === null) return ['no process']
  return [
    'process alive',
    ...(seen.cpu === null ? [] : [`CPU ${Math.round(seen.cpu)}%`]),
    seen.lastOutput === null ? 'no output yet' : `last output ${clockTime(seen.lastOutput).slice(0, 5)}`,
  ]
}

/** A limit of an agent that its processes have reached, as it is recorded. */
export type Reached = { readonly limit: 'memory' | 'processes'; readonly most: number }

/** Why a run failed, for its task; begins with the agent's name. */
export const reachedWords = (agentId: string, { limit, most }: Reached): string =>
  limit === 'memory'
    ? `${agentId} was stopped because its processes used more memory than its limit of ${bytes(most)} (limits.memory). The task did not use up a retry.`
    : `${agentId} failed because its processes reached its limit of ${most} (limits.processes). The task did not use up a retry.`
