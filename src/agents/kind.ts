import type { Approvals } from '../domain/settings.ts'
import type { Instant } from '../domain/time.ts'
import type { OtherServers, OwnServers } from './other-servers.ts'
import type { Reading } from './reading.ts'

/** All that a kind of agent needs to know to start one run. */
export interface Brief {
  readonly agentId: string
  readonly run: number
  readonly persona: { readonly id: string; readonly definition: string }
  /** Absolute path of the folder to work in. */
  readonly folder: string
  readonly worktree: string | null
  readonly task: {
    readonly id: number
    readonly title: string
    readonly description: string
    readonly command: string | null
    readonly acceptanceCriteria: readonly string[]
    readonly contextRef: string | null
    readonly attempt: number
    readonly retryCount: number
    readonly lastError: string | null
  }
  /** What the swarm remembers for this agent, as text; empty where that is nothing. */
  readonly memory: string
  /** Where the session's files lie, for an agent that reports through them or may do so; null where it has nothing to do with them. */
  readonly files: SessionFiles | null
  /** The files are its only way to report. */
  readonly reportsByFiles: boolean
  /** Where a prompt can be written for the agent to read. */
  readonly promptFile: string
  /** A path that no other run uses, outside of the worktree; files of this run begin with it (`${scratch}.mcp.json`). */
  readonly scratch: string
  /** Absolute path of the command `aiswarm`, for an agent that reports by commands. */
  readonly program: string
  /** The MCP server of this run. Its environment holds the agent's token: it belongs into files, never into argv. */
  readonly server: { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly environment: Readonly<Record<string, string>> }
  /** MCP servers beside ours; without it there are none. */
  readonly servers?: OtherServers
  /** Absolute path of the repository's own git directory: a linked worktree commits there, so a sandbox must let it be written. */
  readonly gitFolder: string
  /** Absolute path of the worktree's own git directory, inside `gitFolder`: a sandbox may close it again on its own. */
  readonly worktreeGitFolder?: string | null
  /** Model that the configuration or the task names; null leaves it to the CLI. */
  readonly model: string | null
  /** Arguments that the configuration adds for the persona. */
  readonly args: readonly string[]
  readonly approvals: Approvals
  /** What a person allowed by rules, besides what `approvals` says (domain/permission.ts). */
  readonly allow: readonly string[]
  /** It may read only: a planner in the main checkout. */
  readonly readOnly: boolean
  /** The CLI's own session to go on with; null begins a new one. */
  readonly resume: string | null
  /** We run as root, which some CLIs refuse unless told that it is a sandbox. */
  readonly asRoot: boolean
}

/** Absolute paths of seed 000's files, as one agent needs to know them. */
export interface SessionFiles {
  readonly board: string
  readonly progress: string
  readonly result: string
}

/** What a launcher starts: a program with its arguments, what it reads, what must lie there first. */
export interface Launch {
  readonly argv: readonly string[]
  readonly stdin: string | null
  readonly files: readonly { readonly path: string; readonly content: string }[]
  readonly environment: Readonly<Record<string, string>>
  readonly home?: LentHome
}

/** A folder that stands for the person's home to a CLI whose settings cannot be passed otherwise. */
export interface LentHome {
  /** Absolute path of the home; `folder` in it is the CLI's own, and `file` there its settings, over which `content` is merged. */
  readonly path: string
  readonly folder: string
  readonly file: string
  readonly content: Readonly<Record<string, unknown>>
}

/** One kind of agent: facts and pure functions. */
export interface AgentKind {
  readonly name: string
  /**
   * The process is the whole of the work: its task begins with it, its exit code decides, and what it changed is
   * committed for it. Otherwise the agent reports by itself, and ending without having done so is a failure.
   */
  readonly exitDecides: boolean
  /** Names of variables that it gets from the person's environment; `*` at the end stands for anything. 'all' gives the whole. */
  readonly passes: readonly string[] | 'all'
  launch(brief: Brief): Launch
  /**
   * What a line of its output says; a kind without a reader prints text for people. It never throws. `at` is when the
   * line was written: without it, a limit that ends `in 20s` ends at no known time.
   */
  readonly read?: (line: string, at?: Instant) => readonly Reading[]
  /** Of a kind without a reader: what the end of its output says about the account. */
  readonly ending?: (output: string, at: Instant) => readonly Reading[]
  /** A file of a run that tells more when the run is over. */
  readonly afterwards?: { readonly path: (scratch: string) => string; readonly read: (text: string) => readonly Reading[] }
  /**
   * A file of the CLI's own session that tells how much its model has before it, where its output does not; `*` in a path
   * stands for anything in one name. The newest that is there counts, and of it the last line that says something.
   */
  readonly ledger?: {
    readonly paths: (session: string, environment: Readonly<Record<string, string | undefined>>) => readonly string[]
    readonly read: (line: string) => readonly Reading[]
  }
  /** Facts about the program of a real CLI, for `aiswarm doctor`. */
  readonly program?: { readonly binary: string; readonly package: string; readonly verified: readonly string[] }
  /** Where the CLI keeps the person's own MCP servers, of a kind that would not take them by itself or can only leave them out by name. */
  readonly ownServers?: OwnServers
  /** It reports through the session's files (seed 000) instead of tools or commands. */
  readonly files?: boolean
  /** A later run can go on with the CLI's own session. */
  readonly resumes?: boolean
}
