import type { Settings } from '../domain/settings.ts'
import type { FileLock } from '../memory/working-memory/store.ts'
import type { Core } from '../operations/kernel/core.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { Metrics } from '../operations/read-metrics.ts'

/** Where a command's words go. Text on `out` is the result; everything else belongs on `err`. */
export interface Streams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly stdinIsTerminal: boolean
  readonly stdoutIsTerminal: boolean
  /** All of standard input, for `task import -`. */
  readonly readInput: () => Promise<string>
  /** One typed line after a question on the terminal itself, wherever `out` and `err` go; `above` is shown before it. */
  readonly ask: (question: string, above: string) => Promise<string>
  /** Aborted by Ctrl-C: ends `--follow` and `--watch`. */
  readonly signal?: AbortSignal
}

/** One end of a headless run, as `run` and `demo` print it. */
export interface RunSummary {
  readonly completed: number
  readonly cancelled: number
  readonly failed: readonly number[]
  readonly waiting: readonly { readonly taskId: number; readonly why: string }[]
  /** What was approved or begun outside and has not come to its end. */
  readonly stuck: readonly { readonly worktree: string; readonly why: string }[]
}

/** What the console, `run` and the demo are to the command line. main.ts gives the real ones. */
export interface McpToolCost {
  readonly name: string
  readonly title: string
  readonly toolset: string | null
  readonly on: boolean
  readonly personas: readonly string[]
  readonly tokens: number
}

export interface Services {
  /** Of the program, as `--version` prints it. */
  readonly version: string
  /** Opens (and creates, and migrates) the repository that `root` lies in. Refuses with a sentence. */
  open(root: string): Promise<Connection>
  /** The database alone, for its care: without the configuration, and without a write. Refuses with a sentence. */
  openDatabase(root: string): Promise<Pick<Core, 'store'>>
  /** Puts a copy in the place of the database, for a person. */
  restoreDatabase(root: string, file: string): Promise<{ readonly path: string; readonly from: string; readonly kept: string | null }>
  /** Writes config.yaml, personas/ and .gitignore where they are missing, with `bmad` the program of seed 002 too; gives the paths it made. */
  initialise(root: string, options?: { readonly bmad?: boolean }): Promise<readonly string[]>
  /** The main checkout of the repository that `folder` lies in; opens no database. Refuses with a sentence. */
  repositoryRoot(folder: string): Promise<string>
  /** A lock between processes on a file, for what needs no database. */
  fileLock(): Promise<FileLock>
  /** The console, until it is quit. */
  openConsole(root: string): Promise<void>
  /** The headless supervisor; resolves when idle (`untilIdle`) or stopped by a signal, having written its report. `line` gets one sentence an event. */
  supervise(root: string, options: { untilIdle: boolean; maxParallel: number | null; report: string | null; line: (text: string) => void }): Promise<RunSummary>
  /** Supervises until these tasks have had one attempt each, or (without `wait`) have started; `line` gets one sentence an event. */
  runTasks(connection: Connection, options: { taskIds: readonly number[]; wait: boolean; line: (text: string) => void }): Promise<void>
  /** Writes all files of the session into a folder; gives their names. */
  exportSession(connection: Connection, folder: string): Promise<readonly string[]>
  /** The demo: the console on a terminal, else (or with `json`) lines and a summary. Gives the exit code. */
  demo(options: { json: boolean; line: (text: string) => void }): Promise<number>
  /**
   * The MCP server: on standard input and output until its client goes away, or with `http` a port on the loopback until Ctrl-C.
   * `listening` is told where and with which token.
   */
  serveMcp(root: string, options: { planner: boolean; http: number | null; listening: (at: { url: string; token: string }) => void }): Promise<void>
  /**
   * Every MCP tool with what its description costs a model, in tokens (a token is about four characters): whether the caller
   * has it, or with `planner` whoever serves as one, and the personas that do.
   */
  listMcpTools(connection: Connection, options: { planner: boolean }): Promise<readonly McpToolCost[]>
  /** What `read_metrics` gives, as OpenMetrics text. */
  metricsText(metrics: Metrics): Promise<string>
  /** Serves that text on a port of the loopback (0: any) until Ctrl-C; `listening` is told where. */
  serveMetrics(connection: Connection, options: { port: number; listening: (url: string) => void }): Promise<void>
  /** What is installed and what is missing, a line each. */
  diagnose(root: string): Promise<readonly { readonly name: string; readonly ok: boolean | null; readonly detail: string }[]>
  /** What an agent of this kind would be started with. */
  dryRun(
    connection: Connection,
    request: { personaId: string; kind: string | null; worktree: string | null; taskId: number | null },
  ): Promise<{
    argv: readonly string[]
    cwd: string
    stdin: string | null
    files: readonly { path: string; content: string }[]
    environment: Readonly<Record<string, string>>
  }>
  /** Enters a worktree that only its archive in the repository knows of, as after the database was deleted; false where there is none. */
  adoptArchive(connection: Connection, worktree: string): Promise<boolean>
  /** Removes from the trash what has lain there long enough. */
  sweepTrash(connection: Connection): Promise<{ readonly removed: readonly string[]; readonly kept: readonly { readonly path: string; readonly why: string }[] }>
  /** Resolves at the next commit of any process, after `ms`, or at Ctrl-C. */
  nextChange(connection: Connection, ms: number): Promise<void>
  readonly settingsOf: (connection: Connection) => Settings
}
