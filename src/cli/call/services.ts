import type { AskPassword, BoardCopied, CopyRequest, NamedServer } from '../../contracts/board-store.ts'
import type { Taken } from '../../contracts/conversation.ts'
import type { StartAnswers, StartProposal } from '../../contracts/first-start.ts'
import type { ToolCost } from '../../contracts/tool-cost.ts'
import type { RefPlace } from '../../domain/host/remote.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { FileLock } from '../../memory/working-memory/store.ts'
import type { LandedMerges } from '../../operations/database/maintenance.ts'
import type { declareRestored } from '../../operations/failover/restored-board.ts'
import type { HostView } from '../../operations/hosts/list.ts'
import type { Connection, Core, KeptNote } from '../../operations/perform/core.ts'
import type { Metrics } from '../../operations/screens/metrics.ts'
import type { JoinFacts } from '../print/hosts.ts'

/** The result of a headless run, as `run` and `demo` print it. */
export interface RunSummary {
  readonly completed: number
  readonly cancelled: number
  readonly failed: readonly number[]
  readonly waiting: readonly { readonly taskId: number; readonly why: string }[]
  /** Requests that were approved or begun and have not ended. */
  readonly stuck: readonly { readonly worktree: string; readonly why: string }[]
}

export interface Services {
  /** The version of the program, as `--version` prints it. */
  readonly version: string
  /** Opens (and creates, and migrates) the database of the repository that contains `root`. Refuses with a sentence. */
  open(root: string): Promise<Connection>
  /**
   * Opens only the database, for maintenance: without the configuration, and without a write. Refuses with a sentence.
   */
  openDatabase(root: string): Promise<Pick<Core, 'store'>>
  /** A sentence for each of these merges that its target does not contain, by git. */
  findLostMerges(root: string, landed: LandedMerges): Promise<readonly string[]>
  /** Replaces the database by a copy on a person's request. */
  restoreDatabase(
    root: string,
    file: string,
  ): Promise<{ readonly path: string; readonly from: string; readonly kept: string | null }>
  /** Moves the board to PostgreSQL or back to the database file on a person's request. */
  copyBoard(root: string, request: CopyRequest): Promise<BoardCopied>
  /** Begins the board on a server of PostgreSQL, in a repository without one; returns the paths created. */
  nameStore(root: string, server: NamedServer): Promise<readonly string[]>
  /** The line with which another clone joins the board, for the secret of a code. */
  joinLine(root: string, secret: string): Promise<string>
  /** Makes this clone a host of the board that the line names. */
  joinFleet(
    root: string,
    request: {
      readonly line: string
      readonly passwordCommand?: string | undefined
      readonly askPassword?: AskPassword | undefined
    },
  ): Promise<HostView & JoinFacts>
  /**
   * Says that the board was restored to an earlier time, once `confirm` has not refused; `anyway` although nothing looks
   * restored.
   */
  restoreFleet(
    root: string,
    said: { readonly anyway: boolean; readonly confirm: () => Promise<void> },
  ): ReturnType<(typeof declareRestored)['run']>
  /** Makes a new secret from which the tokens of this clone's agents are derived. */
  renewSecret(root: string): Promise<void>
  /** Keeps a note of the agent that runs this command, while its board cannot be opened; false if it is not kept. */
  keepNote(root: string, note: Omit<KeptNote, 'agentId'> & { readonly at: string }): Promise<boolean>
  /** Has systemd run the worker of this clone with its machine. Refuses with the reason if it does not. */
  installWorker(root: string): Promise<{ readonly name: string; readonly path: string }>
  /**
   * Pushes a ref of aiswarm to a git remote and deletes it again, where the remote is known to take it or else wherever it
   * does. Returns where; refuses with the reason if that is not possible.
   */
  tryRemote(root: string, remote: { readonly url: string; readonly refs?: RefPlace }): Promise<RefPlace>
  /** Runs the loops of this host until a signal; `line` gets one sentence per event. Refuses in a clone that has not joined. */
  work(
    root: string,
    options: {
      readonly maxHere?: number
      readonly labels?: readonly string[]
      /** Ends when nothing runs on this host and nothing waits for it. */
      readonly once: boolean
      readonly line: (text: string) => void
    },
  ): Promise<void>
  /** Applies the migrations of a board on PostgreSQL that are missing, and those that are named. */
  migrateBoard(root: string, again: readonly string[]): Promise<void>
  /**
   * Writes config.yaml, personas/ and .gitignore if they are missing, with `bmad` also the program of seed 002; returns
   * the paths created. Without answers, the configuration has the target branch only.
   */
  initialise(
    root: string,
    options?: { readonly bmad?: boolean; readonly answers?: StartAnswers },
  ): Promise<readonly string[]>
  /** The first configuration that the repository and the installed agents suggest; writes nothing. */
  proposeStart(root: string): Promise<StartProposal>
  /** The text of the first configuration. */
  configurationFor(answers: StartAnswers): Promise<string>
  /** The main checkout of the repository that contains `folder`; opens no database. Refuses with a sentence. */
  repositoryRoot(folder: string): Promise<string>
  /** A lock between processes on a file, for work without a database. */
  fileLock(): Promise<FileLock>
  /** Runs the console until the person quits. */
  openConsole(root: string): Promise<void>
  /**
   * Runs the headless supervisor; resolves when idle (`untilIdle`) or stopped by a signal, after writing its report.
   * `line` gets one sentence per event.
   */
  supervise(
    root: string,
    options: { untilIdle: boolean; maxParallel: number | null; report: string | null; line: (text: string) => void },
  ): Promise<RunSummary>
  /**
   * Supervises until these tasks have had one attempt each, or (without `wait`) have started; `line` gets one sentence
   * per event.
   */
  runTasks(
    connection: Connection,
    options: { taskIds: readonly number[]; wait: boolean; line: (text: string) => void },
  ): Promise<void>
  /** Writes all files of the session into a folder; returns their names. */
  exportSession(connection: Connection, folder: string): Promise<readonly string[]>
  /** The demo: the console on a terminal, otherwise (or with `json`) lines and a summary. Returns the exit code. */
  demo(options: { json: boolean; line: (text: string) => void }): Promise<number>
  /**
   * Runs the MCP server: on standard input and output until its client disconnects, or with `http` on a port of the
   * loopback until Ctrl-C. `listening` receives the address and the token.
   */
  serveMcp(
    root: string,
    options: { planner: boolean; http: number | null; listening: (at: { url: string; token: string }) => void },
  ): Promise<void>
  /**
   * Every MCP tool with the cost of its description for a model, in tokens (a token is about four characters): whether
   * the caller has it, or with `planner` a planner, and the personas that have it.
   */
  listMcpTools(connection: Connection, options: { planner: boolean }): Promise<readonly ToolCost[]>
  /** The result of `read_metrics` as OpenMetrics text. */
  metricsText(metrics: Metrics): Promise<string>
  /** Serves that text on a port of the loopback (0: any) until Ctrl-C; `listening` receives the address. */
  serveMetrics(connection: Connection, options: { port: number; listening: (url: string) => void }): Promise<void>
  /** Installed and missing programs, one line each. */
  diagnose(
    root: string,
  ): Promise<readonly { readonly name: string; readonly ok: boolean | null; readonly detail: string }[]>
  /** The command that would start an agent of this kind. */
  dryRun(
    connection: Connection,
    request: { personaId: string; kind: string | null; worktree: string | null; taskId: number | null },
  ): Promise<{
    argv: readonly string[]
    cwd: string
    stdin: string | null
    files: readonly { path: string; content: string }[]
    environment: Readonly<Record<string, string>>
    /** The actions that its kind takes without asking, as a sentence; null if it asks for all of them. */
    unasked: string | null
    /** The limits of its processes together, and what holds them to these; null without a limit. */
    limits: string | null
    sandbox:
      | { files: readonly { path: string; access: string }[]; network: string; notes: readonly string[] }
      | { off: string }
  }>
  /**
   * Inserts a worktree that only its archive in the repository records, for example after the database was deleted;
   * false if there is none.
   */
  adoptArchive(connection: Connection, worktree: string): Promise<boolean>
  /** Deletes folders from the trash that are old enough. */
  sweepTrash(connection: Connection): Promise<{
    readonly removed: readonly string[]
    readonly kept: readonly { readonly path: string; readonly why: string }[]
  }>
  /** Resolves at the next commit of any process, after `ms`, or at Ctrl-C. */
  nextChange(connection: Connection, ms: number): Promise<void>
  /** Runs the program of a conversation that was taken over on the terminal; resolves when the person has left it. */
  lendTo(taken: Taken): Promise<void>
  readonly settingsOf: (connection: Connection) => Settings
}
