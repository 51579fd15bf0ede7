import type { ConsoleCommand } from '../operations/kernel/console-command.ts'
import type { Connection } from '../operations/kernel/outside.ts'

/** What main.ts gives the console. */
export interface ConsoleOptions {
  readonly connection: Connection
  /** Shown in the header: the repository's folder name and the branch that the main checkout is on. */
  readonly repository: { readonly name: string; readonly branch: string }
  /** Calls back after every commit of any process (looked for every 100 ms); gives a function that stops it. */
  readonly watch: (changed: () => void) => () => void
  /** Who runs the loops: this console, or the process that holds the supervisor lease. */
  readonly supervisor: () => { readonly here: boolean; readonly pid: number | null }
  /** Calls back with what the loops have to say, such as a mistake in this program. */
  readonly reports?: (told: (sentence: string) => void) => void
  /** Runs a program on the terminal while the console is suspended: the person's shell, or their editor on a file. */
  readonly openShell: (folder: string) => Promise<void>
  readonly openEditor: (path: string) => Promise<void>
  /** What consoles keep for their person, by part; `write` is given what is there now and leaves the parts alone that it does not name. */
  readonly memory?: {
    readonly read: () => Readonly<Record<string, unknown>>
    readonly write: (patch: (kept: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) => void
  }
  /** `file:line` of a key of the configuration, for a sentence about it. */
  readonly placeOf?: (keys: readonly string[]) => string
  /** What the palette offers besides the keys. */
  readonly commands?: readonly ConsoleCommand[]
  /** Runs the person's command for what has come to wait. */
  readonly announce?: (text: string) => void
  /** A note to show at the start, such as where the demo's repository lies. */
  readonly notice?: string
}
