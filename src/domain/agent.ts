/** Seed 004's agent states. `offline`: no sign of life for a lease's length; `terminated`: over for good. */
export const agentStates = ['active', 'idle', 'offline', 'terminated'] as const
export type AgentState = (typeof agentStates)[number]

/**
 * Where an agent's process stands: none (it registered by itself), waiting (ours, without a task to run),
 * wanted (run N is to be started), started (run N was started and its identity recorded), ended.
 */
export const processStates = ['none', 'waiting', 'wanted', 'started', 'ended'] as const
export type ProcessState = (typeof processStates)[number]

/** A process is identified by more than its number, which the system gives out again. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time as the system tells it (clock ticks since boot on Linux, `lstart` of ps elsewhere). */
  readonly startedAt: string
  /** Which boot of the system; `BOOT@HOST#NAMESPACE` where it is known in which host and pid namespace the number counts. */
  readonly bootId: string
}

/** Why an agent is stopped whose process cannot be looked up from any host or container that still exists. */
export const GONE = 'its host or container no longer exists'

/** A process that a run has left behind: nobody ends it unasked. */
export interface LeftProcess {
  readonly pid: number
  readonly name: string
}

/** `1 process of it is left: 20169 sleep` */
export const leftWords = (left: readonly LeftProcess[]): string =>
  `${left.length === 1 ? '1 process of it is' : `${left.length} processes of it are`} left: ${left
    .slice(0, 5)
    .map(({ pid, name }) => `${pid} ${name}`)
    .join(', ')}${left.length > 5 ? ', …' : ''}`

/** A failed look-up is unknown, never dead. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/** The names that agents are given: `implementer-1`, `implementer-2`; short enough for a file name. */
export const agentIdOf = (personaId: string, n: number | ''): string => `${personaId.slice(0, 42)}-${n}`
