import { type BudgetSettings, noLimits } from '../budget/budget.ts'
import {
  type CustomKind,
  defaultLimits,
  defaultSandbox,
  type LimitSettings,
  type PersonaSettings,
  type SandboxSettings,
  type toolsets,
} from './agent-settings.ts'
import { type Hooks, noHooks } from './hooks.ts'
import { type NoticeSettings, plainNotices } from './notices.ts'

// docs/configuration.md is generated from the comment of each key; `@value` is its notation in the file, if the type
// does not tell.

/** `.aiswarm/config.yaml` as the program uses it: every key present, durations in milliseconds. */
export interface Settings {
  readonly session: {
    /** Agents that run at the same time. A person's `agent spawn` starts one above it; an agent's one waits for a free slot. */
    readonly maxParallel: number
    /** Retries of a failed task: the first after 30 s, the second after 60 s. */
    readonly maxRetries: number
    /** Interval at which session files are read when no file event reports a change. @value duration */
    readonly pollInterval: number
    /** Open tasks that one agent may have, at most 5 levels deep. */
    readonly maxOpenTasks: number
    /** Output kept of each run, at least 64 KB. Head and tail stay, and a line says how much is missing. @value size */
    readonly logLimit: number
    /** Nothing starts while less of the disk is free. @value size */
    readonly freeDisk: number
    /** Nothing starts while less memory is available; an agent with `limits.memory` needs that in addition. @value size */
    readonly freeMemory: number
  }
  readonly agents: {
    /** Kind of agent for tasks without a command and without a kind of their own; null is the first that is installed. */
    readonly default: string | null
    /** Settings of one persona; a text is its kind. */
    readonly personas: Readonly<Record<string, PersonaSettings>>
    /** Kind for the agent of this name, before that of its persona. */
    readonly names: Readonly<Record<string, string>>
    /** Kinds of agent of your own. */
    readonly kinds: Readonly<Record<string, CustomKind>>
    /** Environment variables that every agent gets as well as those of its kind; `MY_*` matches every name that begins with `MY_`, and `*` every name but those of databases (`PG*`, `DATABASE_URL`, `*_DSN`). */
    readonly pass: readonly string[]
    /** `socket`: their calls and commands go through the console or worker, as always on a board on a server; `direct`: they open the board. */
    readonly connect: 'direct' | 'socket'
  }
  /** How the kernel confines agents, their commands, verification, setup and teardown (docs/sandbox.md). */
  readonly sandbox: SandboxSettings
  /** Limits of all processes of one agent together. */
  readonly limits: LimitSettings
  readonly permissions: {
    /** An unanswered permission request counts as denied after this time. @value duration */
    readonly timeout: number
  }
  readonly worktrees: {
    /** Folder of a new worktree, relative to the repository and never inside it; must contain `{name}`. */
    readonly path: string
    /** Shell command that prepares a new worktree, such as `npm ci`. */
    readonly setup: string
    /** Time limit of `setup`. @value duration */
    readonly setupTimeout: number
    /** Shell command that runs in a worktree before its folder is removed, such as `docker compose down`. */
    readonly teardown: string
    /** Time limit of `teardown`. @value duration */
    readonly teardownTimeout: number
    /** Range of ports; each worktree leases one, `AISWARM_PORT`. @value [first, last] */
    readonly ports: readonly [number, number]
    /** Time that the folder of an ended worktree stays in the trash. @value duration */
    readonly retention: number
    /** Beginning of the branches of worktrees that agents create, such as `agents/`: an agent gets a new branch there, and no other. */
    readonly agentBranches: string
    /** A task without a worktree gets its own one when an agent that may write starts it. `aiswarm init` writes `true`. */
    readonly perTask: boolean
    /** Agents that may write at the same time in one worktree; further ones wait. */
    readonly writers: number
  }
  readonly integration: {
    /** Branch that work is merged into. */
    readonly target: string
    /** Shell command that a merged commit must pass, such as `npm test`. Read from the target branch. */
    readonly verify: string
    /** Whether a person approves each integration. Read from the target branch. */
    readonly approval: 'human' | 'auto'
    /** Globs of tests and CI files: verification runs once more with the target's versions of those that the branch changed; null is the table in docs/integration.md, `[]` none. Read from the target branch. @value list of texts */
    readonly tests: readonly string[] | null
    /** Environment variables that code of a branch gets: verification, setup, teardown, commands; such as `[CI, JAVA_HOME, MY_*]`. */
    readonly pass: readonly string[]
    /** List files of the main checkout that change while agents run in worktrees; `false` if you edit there all day. */
    readonly watchCheckout: boolean
  }
  readonly lease: {
    /** A task becomes pending again when its agent has sent no heartbeat for this time. @value duration */
    readonly ttl: number
    /** Interval of heartbeats. @value duration */
    readonly heartbeat: number
    /** An agent without progress for this time needs you; the output of a plain command is its progress. @value duration */
    readonly stalledAfter: number
    /** Time between SIGTERM and SIGKILL. @value duration */
    readonly terminateGrace: number
  }
  /** Hosts of a board with several hosts (docs/fleet.md). */
  readonly fleet: FleetSettings
  readonly mcp: {
    /** Memory tools that every agent has as well as those of its persona. */
    readonly toolsets: readonly (typeof toolsets)[number][]
  }
  readonly memory: {
    /** Subjects of project memory whose word counts when sources disagree, by agent. */
    readonly owners: Readonly<Record<string, readonly string[]>>
  }
  /** Limits of the cost of a task (all attempts together) and of a session; above them a person is asked. */
  readonly budget: BudgetSettings
  readonly console: ConsoleSettings
  /** The ways in which a person learns of a new item in the inbox. */
  readonly notify: NoticeSettings
  /** Hooks by event: a shell command, `{run}`, or `{post, headers}`; one or a list. */
  readonly on: Hooks
}

/** How the console looks and which keys it takes. */
interface ConsoleSettings {
  /** Colours; `auto` follows the background of the terminal. `NO_COLOR` overrides it. */
  readonly theme: ConsoleTheme
  /** Other keys by the names in docs/console.md, such as `{new: A, zoom: [K, Z]}`. @value key or list of keys */
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** Select rows, scroll and press keys of the footer with the mouse; with shift the terminal selects text. */
  readonly mouse: boolean
  /** Keys that act at once, and the submission of a form, require ctrl-x before them. */
  readonly strict: boolean
  /** Texts for messages to agents by their names, such as `{tests: 'Run the tests before you complete the task.'}`. */
  readonly templates: Readonly<Record<string, string>>
}

/** `auto` follows the background of the terminal. */
export const consoleThemes = ['auto', 'dark', 'light', 'contrast', 'mono'] as const
export type ConsoleTheme = (typeof consoleThemes)[number]

export const defaultFleet: FleetSettings = {
  silentAfter: 30_000,
  lostAfter: 300_000,
  maxLoad: 1.5,
  pushBranches: 'none',
}

export const defaultSettings: Settings = {
  session: {
    maxParallel: 3,
    maxRetries: 2,
    pollInterval: 30_000,
    maxOpenTasks: 100,
    logLimit: 64 * 1024 ** 2,
    freeDisk: 1024 ** 3,
    freeMemory: 256 * 1024 ** 2,
  },
  agents: { default: null, personas: {}, names: {}, kinds: {}, pass: [], connect: 'direct' },
  sandbox: defaultSandbox,
  limits: defaultLimits,
  permissions: { timeout: 600_000 },
  worktrees: {
    path: '../{name}',
    setup: '',
    setupTimeout: 600_000,
    teardown: '',
    teardownTimeout: 120_000,
    ports: [41_000, 41_999],
    retention: 14 * 86_400_000,
    agentBranches: 'agents/',
    perTask: false,
    writers: 1,
  },
  integration: { target: 'main', verify: '', approval: 'human', tests: null, pass: [], watchCheckout: true },
  lease: { ttl: 60_000, heartbeat: 10_000, stalledAfter: 300_000, terminateGrace: 10_000 },
  fleet: defaultFleet,
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
  console: { theme: 'auto', keys: {}, mouse: true, strict: false, templates: {} },
  on: noHooks,
}

/** When a host of a board with several hosts is silent, and when it is lost (docs/fleet.md). */
export interface FleetSettings {
  /** A host that has not been heard of for this time gets no new work; its agents keep their tasks. @value duration */
  readonly silentAfter: number
  /** A host that has not been heard of for this time is declared lost. Its own agents pause half a minute earlier. @value duration */
  readonly lostAfter: number
  /** A host whose load is higher for each processor gets no new work while the board has other hosts; `null`: no limit. */
  readonly maxLoad: number | null
  /** `heads` also pushes the branches of worktrees to the git remote under their own names, for a CI that must see them. */
  readonly pushBranches: 'none' | 'heads'
}
