import type { Store } from '../../db/open.ts'
import type { Db } from '../../db/sqlite.ts'
import type { Actor } from '../../domain/actor.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Instant, Tick } from '../../domain/time.ts'

/** What every operation stands on. Time and randomness come in from outside. */
export interface Core {
  readonly store: Store
  /** Absolute path of the main checkout. */
  readonly root: string
  readonly clock: () => Instant
  /** The monotonic clock; the wall clock stands in for it where there is none. */
  readonly monotonic?: () => Tick
  readonly settings: Settings
  /** Names of the agent kinds that this program can start. */
  readonly kinds: readonly string[]
  /** What a persona's agents may do without asking (domain/permission.ts), as this text of the configuration says: the one that is trusted at this moment. */
  readonly allowRules: (personaId: string, configuration: string | undefined) => readonly string[]
  /** Whose dual memory is written to (seed 003), as the environment says. */
  readonly memoryUser: string
  /** An unguessable text for an agent that registers itself. */
  readonly newToken: () => string
  /** The token of run N of an agent that we start; the same for every process that asks. */
  readonly launchToken: (agentId: string, run: number) => string
}

/** What one performance of an operation has in hand. `now` is the same instant throughout. */
export interface Context extends Omit<Core, 'store' | 'clock' | 'monotonic'> {
  readonly db: Db
  readonly now: Instant
  /** The same moment by the monotonic clock. */
  readonly tick: Tick
  readonly actor: Actor
}
