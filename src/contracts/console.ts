import type { Unconfined } from '../domain/sandbox/unconfined.ts'
import type { OnTerminal } from './conversation.ts'

/** Restores the terminal if this process is killed while it uses it. */
export interface Rescue {
  /** Another program or the shell has the terminal now: nothing may be written to it. */
  readonly lent: () => void
  readonly held: () => void
  /** The terminal was restored. */
  readonly done: () => void
}

/** Stops this process's job as Ctrl-Z does, until it is resumed; false if it cannot be stopped. */
export type StopJob = (options?: { readonly alone?: boolean }) => Promise<boolean>

/** The services of this process and its machine for agents now. */
export interface Supervision {
  /** Whether this process runs the loops, and the process that does otherwise. */
  readonly here: boolean
  readonly pid: number | null
  /** How many hosts do the work of a checkout that has not joined the board. */
  readonly hosts?: number
  /** The most agents that run at a time on the whole board, if that is not what this process began with. */
  readonly most?: number
  /** The reason why nothing is started, although it could be. */
  readonly hold?: string | null
  /** Why the board takes no writes of this process, although it can be read; null if it takes them. */
  readonly closed?: string | null
  /** Why nothing that is started here is confined; null if it is. */
  readonly unconfined?: Unconfined | null
}

/** The console's dependencies from main.ts, except its connection. */
export interface ConsoleServices {
  /** Shown in the header: the repository's folder name and the branch of the main checkout. */
  readonly repository: { readonly name: string; readonly branch: string }
  /** Calls back after every commit of any process (checked every 100 ms); returns a function that stops it. */
  readonly watch: (changed: () => void) => () => void
  readonly supervisor: () => Supervision
  /** Calls back with reports of the loops, such as an internal error; `isGood` for the end of a problem. */
  readonly reports?: (told: (sentence: string, isGood?: boolean) => void) => void
  /** Runs a program on the terminal while the console is suspended: the person's shell, or their editor on a file. */
  readonly openShell: (folder: string) => Promise<void>
  /** Another program, such as the CLI's own one on a conversation that the person has taken over. */
  readonly openTaken?: (program: OnTerminal) => Promise<void>
  readonly openEditor: (path: string) => Promise<void>
  /** As `openEditor`, on a text; resolves with the saved one. */
  readonly editText?: (text: string) => Promise<string>
  /**
   * Starts a process that restores the terminal with these arguments of printf if this process is killed; without it
   * nothing does.
   */
  readonly rescue?: (restore: string) => Rescue
  /** Stops this process's job as Ctrl-Z does, until it is continued; false if that is impossible. */
  readonly stopJob?: StopJob
  /** The saved state of consoles, by part; `write` receives the present state and leaves other parts unchanged. */
  readonly memory?: {
    readonly read: () => Readonly<Record<string, unknown>>
    readonly write: (patch: (kept: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) => void
  }
  /** `file:line` of a key of the configuration, for a message about it. */
  readonly placeOf?: (keys: readonly string[]) => string
  /** Called after the first frame. */
  readonly drawn?: () => void
  /** Called repeatedly while no key is pressed. */
  readonly resting?: () => void
  /** The commands of the palette in addition to the keys; loaded after the first frame. */
  readonly commands?: () => Promise<readonly ConsoleCommand[]>
  /** Runs the person's notification command for new inbox items. */
  readonly announce?: (text: string) => void
  /** A note to show at the start, such as the path of the demo's repository. */
  readonly notice?: string
}

/** One word of a command line as a field of a form. */
export interface CommandWord {
  readonly key: string
  /** `ID`, or `--persona`. */
  readonly name: string
  readonly kind: 'text' | 'number' | 'choice' | 'flag'
  readonly description: string
  /** The format of a text that is not free: `1,2`, or `JSON`. */
  readonly form: string | null
  readonly required: boolean
  /** True for several values, separated by spaces as in a shell. */
  readonly repeated: boolean
  readonly choices: readonly string[]
}

/** The typed text for each word, by its key; absent if it is left out, `yes` for a flag. */
export type CommandValues = Readonly<Record<string, string>>

/** A command of the command line in the console. */
export interface ConsoleCommand {
  /** `task add` */
  readonly path: string
  readonly summary: string
  readonly words: readonly CommandWord[]
  /** True if it discards something, so that the console asks first. */
  readonly destroys: (values: CommandValues) => boolean
  /** The equivalent command line, word by word: `aiswarm task retry 3`. */
  readonly line: (values: CommandValues) => readonly string[]
  /** The errors in the values, by the keys of the words; `''` for errors of the whole. Does nothing else. */
  readonly refusals: (values: CommandValues) => Readonly<Record<string, string>>
  /** Runs it and returns its output. Throws a `Refusal`. */
  readonly run: (values: CommandValues) => Promise<string>
}
