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
  /** A note to show at the start, such as where the demo's repository lies. */
  readonly notice?: string
}
