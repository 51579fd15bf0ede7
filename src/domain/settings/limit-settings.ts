// docs/configuration.md is generated from the comment of each key.

/** Limits of all processes of one agent together (docs/sandbox.md). */
export interface LimitSettings {
  /** Memory of all its processes together, with its temporary files; an agent that uses more is stopped. Without a limit it is null. @value size */
  readonly memory: number | null
  /** Processes and threads that it may have at the same time; without a limit it is null. */
  readonly processes: number | null
  /** Its share of the processor while that is scarce: 1 to 10000, where 100 is the share of any other program; null is 100. */
  readonly cpuWeight: number | null
}

export const defaultLimits: LimitSettings = { memory: null, processes: null, cpuWeight: null }
