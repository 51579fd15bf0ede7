import type { ConsoleCommand } from '../operations/kernel/console-command.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { StopJob } from './terminal/jobs.ts'
import type { Rescue } from './terminal/lend.ts'

/** What main.ts gives the console. */
export interface ConsoleOptions {
  readonly connection: Connection
  /** Shown in the header: the repository's folder name and the branch that the main checkout is on. */
  readonly repository: { readonly name: string; readonly branch: string }
  /** Calls back after every commit of any process (looked for every 100 ms); gives a function that stops it. */
  readonly watch: (changed: () => void) => () => void
  /** Who runs the loops: this console, or the process that holds the supervisor lease. */
  readonly supervisor: () => { readonly here: boolean; readonly pid: number | null; readonly hold?: string | null }
  /** Calls back with what the loops have to say, such as a mistake in this program. */
  readonly reports?: (told: (sentence: string) => void) => void
  /** Runs a program on the terminal while the console is suspended: the person's shell, or their editor on a file. */
  readonly openShell: (folder: string) => Promise<void>
  readonly openEditor: (path: string) => Promise<void>
  /** Starts what gives the terminal back, by these words for printf, where this process is killed; without it nothing does. */
  readonly rescue?: (restore: string) => Rescue
  /** Stops this process's job as Ctrl-Z does, until it is brought back; false where it cannot be. */
  readonly stopJob?: StopJob
  /** What consoles keep for their person, by part; `write` is given what is there now and leaves the parts alone that it does not name. */
  readonly memory?: {
    readonly read: () => Readonly<Record<string, unknown>>
    readonly write: (patch: (kept: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) => void
  }
  /** `file:line` of a key of the configuration, for a sentence about it. */
  readonly placeOf?: (keys: readonly string[]) => string
  /** Is called when the first frame stands. */
  readonly drawn?: () => void
  /** Is called again and again while nobody presses a key. */
  readonly resting?: () => void
  /** What the palette offers besides the keys; asked for behind the first frame. */
  readonly commands?: () => Promise<readonly ConsoleCommand[]>
  /** Runs the person's command for what has come to wait. */
  readonly announce?: (text: string) => void
  /** A note to show at the start, such as where the demo's repository lies. */
  readonly notice?: string
}
