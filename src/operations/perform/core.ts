import type { Outside } from '../../contracts/outside.ts'
import type { Db } from '../../db/engine/db.ts'
import type { Store } from '../../db/engine/store.ts'
import type { Actor } from '../../domain/agent/actor.ts'
import type { Speech } from '../../domain/agent/messages.ts'
import { LOCAL } from '../../domain/host/host.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { Instant, Tick } from '../../domain/words/time.ts'

/** The dependencies of every operation. Time and randomness are passed in. */
export interface Core {
  readonly store: Store
  /** Absolute path of the main checkout. */
  readonly root: string
  /**
   * The host of the board that this checkout is; missing where the board has one host, null for a checkout that has not
   * joined: it shows and decides, and no worktree or process is its own.
   */
  readonly host?: string | null
  readonly clock: () => Instant
  /** The monotonic clock; the wall clock replaces it if it is missing. */
  readonly monotonic?: () => Tick
  readonly settings: Settings
  /** Names of the agent kinds that this program can start. */
  readonly kinds: readonly string[]
  /**
   * The reason why the program of a kind cannot be started here, such as that it is not installed; undefined if it can,
   * or if nothing is known.
   */
  readonly missingProgram?: (kind: string) => string | undefined
  /** How an agent of a kind is reached while it works; without it through the tools of aiswarm only. */
  readonly speech?: (kind: string) => Speech
  /** The actions that agents of a kind take without asking, as a sentence; undefined if they ask for all of them. */
  readonly unasked?: (kind: string) => string | undefined
  /**
   * Why an agent of a persona and kind starts without a sandbox where others are in one; undefined if it is in one too, or
   * if nothing is known.
   */
  readonly unconfined?: (start: { readonly personaId: string; readonly kind: string }) => string | undefined
  /** Why an agent of a kind cannot begin with a copy of a conversation, as a sentence; undefined if it can. */
  readonly unforked?: (kind: string) => string | undefined
  /**
   * The actions that a persona's agents may take without asking (domain/request/permission.ts), by this text of the
   * configuration: the one that is trusted at this moment.
   */
  readonly allowRules: (personaId: string, configuration: string | undefined) => readonly string[]
  /** Keeps a note on the disk until the store can be reached again; false if there is no room. Missing where the store is a file. */
  readonly keep?: (note: KeptNote) => boolean
  /** The user of the dual memory (seed 003), from the environment. */
  readonly memoryUser: string
  /** Returns an unguessable token for an agent that registers itself. */
  readonly newToken: () => string
  /** Returns the token of run N of an agent; the same in every process. */
  readonly launchToken: (agentId: string, run: number) => string
}

/** A note of an agent that could not be written on the board. */
export interface KeptNote {
  readonly taskId: number
  readonly agentId: string
  /** Null: the attempt that the agent had at that moment. */
  readonly attempt: number | null
  readonly note: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly percent: number | null
  /** The criteria that it reports as met, by their text or number; missing in the notes of an older aiswarm. */
  readonly criteriaMet?: readonly string[]
}

/** The host whose folders and processes are this checkout's own; null for none. */
export const hostOf = ({ host = LOCAL }: Pick<Core, 'host'>): string | null => host

/** True if the main checkout of the board is this one: its targets, its configuration and the files of the session. */
export const isHome = (core: Pick<Core, 'host'>): boolean => hostOf(core) === LOCAL

/** The dependencies of one call of an operation. `now` is the same instant throughout. */
export interface Context extends Omit<Core, 'store' | 'clock' | 'monotonic'> {
  readonly db: Db
  readonly now: Instant
  /** The same moment by the monotonic clock. */
  readonly tick: Tick
  /** True if the clock has just jumped ahead, so that nothing is judged by it: every deadline gets a new term. */
  readonly ahead: boolean
  readonly actor: Actor
}

/** A surface's connection: the core, its actor, and the outside. */
export interface Connection {
  readonly core: Core
  readonly actor: Actor
  readonly outside: Outside
}
