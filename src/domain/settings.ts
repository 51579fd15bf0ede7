import { type Limits, noLimits } from './budget.ts'
import { type Hooks, noHooks } from './hooks.ts'
import { type NoticeSettings, plainNotices } from './notices.ts'
import { personaToolsets, readingPersonas } from './personas.ts'

/** `.aiswarm/config.yaml` as the program uses it: every key present, durations in milliseconds. */
export interface Settings {
  readonly session: {
    readonly maxParallel: number
    readonly maxRetries: number
    readonly pollInterval: number
    /** Most bytes of what a run prints that are kept. */
    readonly logLimit: number
    /** Nothing is started while fewer bytes of the disk are free. */
    readonly freeDisk: number
    /** Tasks that one agent may have open on the board. */ readonly maxOpenTasks: number
  }
  readonly agents: {
    readonly default: string | null
    readonly personas: Readonly<Record<string, PersonaSettings>>
    readonly names: Readonly<Record<string, string>>
    readonly kinds: Readonly<Record<string, CustomKind>>
    /** Names of variables that every agent gets besides what its kind passes; `*` at the end stands for anything. */
    readonly pass: readonly string[]
  }
  /** How long a request for permission waits for a person before it counts as denied. */
  readonly permissions: { readonly timeout: number }
  readonly worktrees: {
    readonly path: string
    readonly setup: string
    readonly setupTimeout: number
    readonly teardown: string
    readonly teardownTimeout: number
    readonly ports: readonly [number, number]
    /** How long the folder of an ended worktree lies in the trash. */
    readonly retention: number
    /** A task that names no worktree gets one of its own when an agent CLI that may write starts it. */
    readonly perTask: boolean
    /** So many agents that may write work in one worktree at a time. */
    readonly writers: number
  }
  readonly integration: {
    readonly target: string
    readonly verify: string
    readonly approval: 'human' | 'auto'
    /** Names of variables that code of a branch gets besides what every agent gets: verification, setup, teardown, commands. */
    readonly pass: readonly string[]
  }
  readonly lease: { readonly ttl: number; readonly heartbeat: number; readonly stalledAfter: number; readonly terminateGrace: number }
  readonly mcp: { readonly toolsets: readonly string[] }
  readonly memory: { readonly owners: Readonly<Record<string, readonly string[]>> }
  /** What a task, all its attempts together, and a session may cost before a person is asked. */
  readonly budget: { readonly task: Limits; readonly session: Limits }
  readonly console: ConsoleSettings
  /** How a person is told of what comes to wait for them. */
  readonly notify: NoticeSettings
  /** What is called when something happens. */
  readonly on: Hooks
}

/** How the console looks and is worked. */
export interface ConsoleSettings {
  readonly theme: ConsoleTheme
  /** Keys by the id of what they do; which ids there are, the console knows. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  readonly mouse: boolean
  /** Keys that act at once want the leader key before them. */
  readonly strict: boolean
}

/** `auto` follows the background of the terminal. */
export const consoleThemes = ['auto', 'dark', 'light', 'contrast', 'mono'] as const
export type ConsoleTheme = (typeof consoleThemes)[number]

/** Groups of MCP tools that can be switched on, named like the folders of `src/memory`; `all` is each of them. */
export const toolsets = ['session-files', 'working-memory', 'project-memory', 'dual-memory', 'all'] as const

/** What an agent may do by itself: nothing that needs asking, edits of its worktree, or everything. */
export const approvals = ['ask', 'allow-edits', 'allow-all'] as const
export type Approvals = (typeof approvals)[number]

export interface PersonaSettings {
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly args: readonly string[]
  readonly approvals: Approvals
  /** Rules of domain/permission.ts: what it may do without asking. */
  readonly allow: readonly string[]
  /** Groups of MCP tools that its agents have; without it those of a built-in persona. */
  readonly toolsets?: readonly string[] | undefined
  /** 'only-aiswarm' takes the MCP servers away that the person configured for the CLI; `servers` gives further ones. */
  readonly mcp?: 'only-aiswarm' | { readonly servers: Readonly<Record<string, McpServer>> } | undefined
  /** False where its agents only read; without it as for a built-in persona. */
  readonly writes?: boolean | undefined
}

/** An MCP server: a program, or an address. */
export type McpServer =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/**
 * An agent that the configuration describes: its command line as a template and the way its prompt travels. Without a
 * command it is a CLI that is known by this name. `files`: it reports through the session's files (seed 000).
 */
export interface CustomKind {
  readonly command: readonly string[]
  readonly prompt: 'argv' | 'stdin' | 'file'
  readonly files: boolean
  readonly env: Readonly<Record<string, string>>
  readonly errors?: KindErrors | undefined
}

/** Patterns of lines at the end of an output (JavaScript, any case): the account is over its limit, or not logged in. Neither burns a retry. */
export interface KindErrors {
  readonly limited: readonly string[]
  readonly unauthorized: readonly string[]
}

export const defaultSettings: Settings = {
  session: { maxParallel: 3, maxRetries: 2, pollInterval: 30_000, logLimit: 64 * 1024 ** 2, freeDisk: 1024 ** 3, maxOpenTasks: 100 },
  agents: { default: null, personas: {}, names: {}, kinds: {}, pass: [] },
  permissions: { timeout: 600_000 },
  worktrees: {
    path: '../{name}',
    setup: '',
    setupTimeout: 600_000,
    teardown: '',
    teardownTimeout: 120_000,
    ports: [41_000, 41_999],
    retention: 14 * 86_400_000,
    perTask: false,
    writers: 1,
  },
  integration: { target: 'main', verify: '', approval: 'human', pass: [] },
  lease: { ttl: 60_000, heartbeat: 10_000, stalledAfter: 300_000, terminateGrace: 10_000 },
  mcp: { toolsets: [] },
  memory: {
    owners: {
      claude: ['verification', 'implementation-history', 'context-health'],
      chatgpt: ['draft-adrs', 'design-decisions', 'phase-planning'],
      lovable: ['implementation-iterations', 'ui-decisions', 'build-results'],
    },
  },
  budget: { task: noLimits, session: noLimits },
  notify: plainNotices,
  console: { theme: 'auto', keys: {}, mouse: true, strict: false },
  on: noHooks,
}

/** The kind of agent that works for a persona: the agent's own name first, then the persona, then the default. */
export const kindFor = (settings: Settings, personaId: string, agentId?: string): string | null => {
  const named = agentId === undefined ? undefined : (own(settings.agents.names, agentId) ?? own(settings.agents.names, agentId.replace(/-agent$/, '')))
  return named ?? own(settings.agents.personas, personaId)?.kind ?? settings.agents.default
}

/** What `kindFor` goes by, as lists: the kinds of agents by their names, of personas, and of all others. */
export interface KindRules {
  readonly names: readonly (readonly [name: string, kind: string])[]
  readonly personas: readonly (readonly [personaId: string, kind: string])[]
  readonly others: string | null
}

export const kindRules = ({ agents: { names, personas, default: others } }: Pick<Settings, 'agents'>): KindRules => {
  const named = Object.entries(names)
  return {
    // A name that is configured as it is goes before the one that it would be shortened to.
    names: [...new Map([...named.map(([name, kind]) => [`${name}-agent`, kind] as const), ...named])],
    personas: Object.entries(personas).flatMap(([id, { kind }]) => (kind === undefined ? [] : [[id, kind] as const])),
    others,
  }
}

/** How a persona's agents are started; a persona without a section of its own asks for everything. */
export const personaSettings = (settings: Settings, personaId: string): PersonaSettings => own(settings.agents.personas, personaId) ?? { args: [], approvals: 'ask', allow: [] }

/** True where agents of the persona may change files: all but those of planner and reviewer, unless the configuration says otherwise. */
export const personaWrites = (settings: Settings, personaId: string): boolean => own(settings.agents.personas, personaId)?.writes ?? !readingPersonas.includes(personaId)

/** The personas of which `personaWrites` is false, for surfaces that have no settings. */
export const readersOf = (settings: Settings): readonly string[] =>
  [...new Set([...readingPersonas, ...Object.keys(settings.agents.personas)])].filter((id) => !personaWrites(settings, id))

/** The groups of MCP tools that an agent of this persona has; null for whoever is no agent. What holds for all is added to its own. */
export const toolsetsFor = (settings: Settings, personaId: string | null): readonly string[] => {
  const ofPersona = personaId === null ? [] : (own(settings.agents.personas, personaId)?.toolsets ?? own(personaToolsets, personaId) ?? [])
  const wanted = new Set([...settings.mcp.toolsets, ...ofPersona])
  return toolsets.filter((name) => name !== 'all' && (wanted.has(name) || wanted.has('all')))
}

/** `constructor` is a fine name for an agent, and no configured one. */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(record, key) ? record[key] : undefined)
