import type { Approvals } from '../../domain/settings/agent-settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { OtherServers, OwnServers } from './other-servers.ts'
import type { Detail, Reading } from '../reading/reading.ts'
import type { Talk } from './conversation.ts'

/** Everything that a kind of agent needs to start one run. */
export interface Brief {
  readonly agentId: string
  readonly run: number
  readonly persona: { readonly id: string; readonly definition: string }
  /** Absolute path of the working folder. */
  readonly folder: string
  readonly worktree: string | null
  /** True if only what is committed survives the loss of this machine. */
  readonly commitsOften?: boolean
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
  /** The memories for this agent, as text; empty if there are none. */
  readonly memory: string
  /** The session's files, for an agent that reports or may report through them; otherwise null. */
  readonly files: SessionFiles | null
  /** True if the agent can report only through the files. */
  readonly reportsByFiles: boolean
  /** The path of a prompt file for the agent. */
  readonly promptFile: string
  /**
   * A path that no other run uses, outside of the worktree; the paths of this run's files begin with it
   * (`${scratch}.mcp.json`).
   */
  readonly scratch: string
  /** Absolute path of the command `aiswarm`, for an agent that reports by commands. */
  readonly program: string
  /** The MCP server of this run. Its environment contains the agent's token, so it belongs in files, never in argv. */
  readonly server: {
    readonly name: string
    readonly command: string
    readonly args: readonly string[]
    readonly environment: Readonly<Record<string, string>>
  }
  /** Additional MCP servers; none by default. */
  readonly servers?: OtherServers
  /**
   * Absolute path of the repository's own git directory: a linked worktree commits there, so it must be writable in a
   * sandbox.
   */
  readonly gitFolder: string
  /** Absolute path of the worktree's own git directory, inside `gitFolder`, which a sandbox may protect separately. */
  readonly worktreeGitFolder?: string | null
  /** The model that the configuration or the task names; with null the CLI chooses. */
  readonly model: string | null
  /** Arguments that the configuration adds for the persona. */
  readonly args: readonly string[]
  readonly approvals: Approvals
  /** The rules of the person, in addition to `approvals` (domain/request/permission.ts). */
  readonly allow: readonly string[]
  /** True for a planner in the main checkout, which may only read. */
  readonly readOnly: boolean
  /** Messages for this attempt, each in the words that the agent reads. */
  readonly messages?: readonly string[]
  /** The CLI's own session to resume; null begins a new one. */
  readonly resume: string | null
  /** The session of another agent of which the run begins with a copy; `resume` is null then. */
  readonly fork?: { readonly session: string; readonly of: string } | null
  /** True if aiswarm runs as root, which some CLIs refuse outside of a sandbox. */
  readonly asRoot: boolean
  /** False if a sandbox of the CLI's own cannot begin: inside ours root has no capability that its user namespace needs. */
  readonly ownSandbox: boolean
}

/** Absolute paths of seed 000's files for one agent. */
export interface SessionFiles {
  readonly board: string
  readonly progress: string
  readonly result: string
}

/** The process to start: a program with its arguments, its input, and the files to write first. */
export interface Launch {
  readonly argv: readonly string[]
  readonly stdin: string | null
  readonly files: readonly { readonly path: string; readonly content: string }[]
  readonly environment: Readonly<Record<string, string>>
  readonly home?: AgentHome
  /** The first line of its journal, for a protocol whose driver opens the conversation in the relay. */
  readonly opening?: string
}

/** A substitute for the person's home, for a CLI whose settings cannot be passed otherwise. */
export interface AgentHome {
  /**
   * Absolute path of the home; `folder` in it is the CLI's own, and `file` there its settings, over which `content` is
   * merged.
   */
  readonly path: string
  readonly folder: string
  readonly file: string
  readonly content: Readonly<Record<string, unknown>>
}

/** One kind of agent: facts and pure functions. */
export interface AgentKind {
  readonly name: string
  /**
   * True if the process is the whole work: its task starts with it, its exit code is the result, and aiswarm commits
   * its changes. Otherwise the agent reports by itself, and an exit without a report is a failure.
   */
  readonly exitDecides: boolean
  /** Variables that it gets from the person's environment; `*` at the end matches any rest. */
  readonly passes: readonly string[]
  launch(brief: Brief): Launch
  /**
   * Reads a line of its output; a kind without a reader prints plain text. It never throws. `at` is when the line was
   * written: without it, the end of a limit such as `in 20s` is unknown.
   */
  readonly read?: (line: string, at?: Instant) => readonly Reading[]
  /** Reads from the same line what only a person who follows the conversation wants: inputs, results, plans. Never throws. */
  readonly details?: (line: string) => readonly Detail[]
  /** For a kind without a reader: reads problems of the account from the end of its output. */
  readonly ending?: (output: string, at: Instant) => readonly Reading[]
  /** A file of a run with additional facts after its end. */
  readonly afterwards?: {
    readonly path: (scratch: string) => string
    readonly read: (text: string) => readonly Reading[]
  }
  /**
   * A file of the CLI's own session with the context use, if its output lacks it; `*` in a path matches anything in one
   * name. Only the newest file counts, and its last relevant line.
   */
  readonly ledger?: {
    readonly paths: (session: string, environment: Readonly<Record<string, string | undefined>>) => readonly string[]
    readonly read: (line: string) => readonly Reading[]
  }
  /** Facts about the program of a CLI, for `aiswarm doctor`. */
  readonly program?: {
    readonly binary: string
    readonly package: string
    readonly verified: readonly string[]
    /** Files below the home folder, and variables, that a login leaves; one of them is enough. */
    readonly login?: { readonly files: readonly string[]; readonly variables: readonly string[] }
  }
  /** Where the CLI keeps what it needs from one run to the next, for a sandbox. */
  readonly state?: CliState
  /** Hosts of its model and of its login, which a sandbox with an allowlist lets through. */
  readonly hosts?: readonly string[]
  /** Why its agents are not confined with `sandbox.mode: auto`; a part of a sentence. */
  readonly unconfined?: string
  /**
   * The file with the person's own MCP servers, for a kind that does not load them by itself, or can exclude them only
   * by name.
   */
  readonly ownServers?: OwnServers
  /** True if it reports through the session's files (seed 000) instead of tools or commands. */
  readonly files?: boolean
  /** True if a later run can resume the CLI's own session. */
  readonly resumes?: boolean
  /**
   * The command line of its own interactive program on a session, for a person who takes a conversation over; a
   * sentence if that cannot be, with the alternative.
   */
  readonly terminal?: ((session: string) => readonly string[]) | string
  /** How it is spoken to while it works; a kind without it gets its prompt and nothing else. */
  readonly talk?: Talk
  /** True if a run can begin with a copy of another agent's conversation; otherwise why not, as a sentence. */
  readonly forks?: true | string
  /** The actions that it takes without asking, as a sentence; absent if it asks for all of them. */
  readonly unasked?: string
  /** Why a CLI that could be spoken to is not, unless the configuration says otherwise. */
  readonly because?: string
}

/** Names below the home folder. */
export interface CliState {
  /** Folders with its login, sessions and caches. */
  readonly folders: readonly string[]
  readonly files?: readonly string[]
  /** Files and folders among them that its next start obeys: what is there already is not writable. */
  readonly settings: readonly string[]
  /** Files among `settings` without which its start fails, with the text that it would write itself. */
  readonly needs?: Readonly<Record<string, string>>
  /** Variables that name another folder for it. */
  readonly variables?: readonly string[]
}
