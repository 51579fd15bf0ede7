// docs/configuration.md is generated from the comment of each key.

/** Groups of MCP tools that can be switched on, named like the folders of `src/memory`; `all` is each of them. */
export const toolsets = ['session-files', 'working-memory', 'project-memory', 'dual-memory', 'all'] as const

/** The actions that an agent may take without asking: none that need permission, edits of its worktree, or all. */
export const approvals = ['ask', 'allow-edits', 'allow-all'] as const
export type Approvals = (typeof approvals)[number]

export interface PersonaSettings {
  /** Kind of agent. */
  readonly kind?: string | undefined
  /** Model that its CLI is started with. */
  readonly model?: string | undefined
  /** Further arguments of its CLI. */
  readonly args: readonly string[]
  /** Actions that its agents may take without asking. */
  readonly approvals: Approvals
  /** Permission rules: `edit`, `shell(npm test)` for commands that begin so, `tool(Name)`. */
  readonly allow: readonly string[]
  /** Its memory tools; without it the planner and the reviewer have `project-memory`. */
  readonly toolsets?: readonly (typeof toolsets)[number][] | undefined
  /** `only-aiswarm` disables the MCP servers that you configured for the CLI; `{servers: {NAME: …}}` adds further ones. @value only-aiswarm or servers */
  readonly mcp?: 'only-aiswarm' | { readonly servers: Readonly<Record<string, McpServer>> } | undefined
  /** Whether its agents change files; without it false for planner and reviewer. */
  readonly writes?: boolean | undefined
  /** Whether the kernel confines its agents; without it as `sandbox.mode`. */
  readonly sandbox?: SandboxMode | undefined
  /** The network of its agents; without it as `sandbox.network`. */
  readonly network?: Network | undefined
  /** Limits of each of its agents; a missing one is that of `limits`. */
  readonly limits?: Partial<LimitSettings> | undefined
}

/** An MCP server: a program, or an address. */
export type McpServer =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** A kind of agent that the configuration defines: its command line as a template and how it receives its prompt. */
export interface CustomKind {
  /** Command line with `{prompt}`, `{promptFile}`, `{worktree}`, `{agentId}`, `{taskId}`; without it a known CLI of this name. */
  readonly command: readonly string[]
  /** How the agent receives its prompt. */
  readonly prompt: 'argv' | 'stdin' | 'file'
  /** It reports through the session's files. */
  readonly files: boolean
  /** How it is spoken to while it works: `stream-json` as Claude Code is; `acp` by the Agent Client Protocol; `app-server` is Codex's own; `headless` gives it its prompt and nothing else. */
  readonly protocol?: 'stream-json' | 'acp' | 'app-server' | 'headless' | undefined
  /** Command line of its own interactive program with `{session}`, for a person who takes a conversation over. */
  readonly terminal?: readonly string[] | undefined
  /** Environment variables with their values. */
  readonly env: Readonly<Record<string, string>>
  readonly errors?: KindErrors | undefined
}

/** Patterns of the last lines of an output (JavaScript, any case). Neither uses up a retry. */
export interface KindErrors {
  /** Lines that report a reached limit of the account: regular expressions, any case. */
  readonly limited: readonly string[]
  /** Lines that report a missing login: regular expressions, any case. */
  readonly unauthorized: readonly string[]
}

/** `auto` confines where the machine can, `required` starts nothing without it, `off` confines nothing. */
export const sandboxModes = ['auto', 'required', 'off'] as const
export type SandboxMode = (typeof sandboxModes)[number]

/** `open` is the network of the machine, `allowlist` reaches `sandbox.hosts` only, `none` nothing but itself. */
export const networks = ['open', 'allowlist', 'none'] as const
export type Network = (typeof networks)[number]

/** How the kernel confines what aiswarm starts (docs/sandbox.md). */
export interface SandboxSettings {
  /** `auto` confines where the machine can, `required` starts nothing without it, `off` confines nothing. `sandbox: required` is short for it. */
  readonly mode: SandboxMode
  /** Further files and folders that are writable inside, such as `~/.npm`. */
  readonly write: readonly string[]
  /** Further files and folders that are readable inside, such as `~/.npmrc`. */
  readonly read: readonly string[]
  /** Further files and folders that are hidden inside. */
  readonly hide: readonly string[]
  /** Whether the main checkout and other worktrees are readable inside. */
  readonly others: 'read' | 'hide'
  /** `open` is the network of the machine, `allowlist` reaches `sandbox.hosts` and the model of the CLI only, `none` nothing but itself. */
  readonly network: Network
  /** Hosts that `allowlist` reaches: `registry.npmjs.org`, `*.example.com`; with a port for a service of your own network, `localhost:4873`. */
  readonly hosts: readonly string[]
}

export const defaultSandbox: SandboxSettings = {
  mode: 'auto',
  write: [],
  read: [],
  hide: [],
  others: 'read',
  network: 'open',
  hosts: [],
}

/** Limits of all processes of one agent together (docs/sandbox.md). */
export interface LimitSettings {
  /** Memory of all its processes together, with its temporary files; an agent that uses more is stopped. Without a limit it is null. @value size */
  readonly memory: number | null
  /** Processes and threads that it may have at the same time; without a limit it is null. */
  readonly processes: number | null
  /** Its share of the processor while that is scarce: 1 to 10000, where 100 is the share of any other program; null is 100. */
  readonly cpuWeight: number | null
}

export const defaultLimits: LimitSettings = { memory: null, processes: null, cpuWeight: null }
