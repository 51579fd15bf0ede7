// Written by 'npm run docs' from the comments of src/domain/settings.

export interface CataloguedSetting {
  readonly key: string
  /** Its type, or its values. */
  readonly value: string
  /** The default as the file has it. */
  readonly standard: string
  readonly meaning: string
}

// prettier-ignore
export const catalogue: readonly CataloguedSetting[] = [
  { key: 'session.maxParallel', value: 'number', standard: '3', meaning: "Agents that run at the same time. A person's `agent spawn` starts one above it; an agent's one waits for a free slot." },
  { key: 'session.maxRetries', value: 'number', standard: '2', meaning: 'Retries of a failed task: the first after 30 s, the second after 60 s.' },
  { key: 'session.pollInterval', value: 'duration', standard: '30s', meaning: 'Interval at which session files are read when no file event reports a change.' },
  { key: 'session.maxOpenTasks', value: 'number', standard: '100', meaning: 'Open tasks that one agent may have, at most 5 levels deep.' },
  { key: 'session.logLimit', value: 'size', standard: '64MB', meaning: 'Output kept of each run, at least 64 KB. Head and tail stay, and a line says how much is missing.' },
  { key: 'session.freeDisk', value: 'size', standard: '1GB', meaning: 'Nothing starts while less of the disk is free.' },
  { key: 'session.freeMemory', value: 'size', standard: '256MB', meaning: 'Nothing starts while less memory is available; an agent with `limits.memory` needs that in addition.' },
  { key: 'agents.default', value: 'text', standard: 'null', meaning: 'Kind of agent for tasks without a command and without a kind of their own; null is the first that is installed.' },
  { key: 'agents.personas', value: 'section', standard: '{}', meaning: 'Settings of one persona; a text is its kind.' },
  { key: 'agents.names', value: 'section', standard: '{}', meaning: 'Kind for the agent of this name, before that of its persona.' },
  { key: 'agents.kinds', value: 'section', standard: '{}', meaning: 'Kinds of agent of your own.' },
  { key: 'agents.pass', value: 'list of texts', standard: '[]', meaning: 'Environment variables that every agent gets as well as those of its kind; `MY_*` matches every name that begins with `MY_`, and `*` every name but those of databases (`PG*`, `DATABASE_URL`, `*_DSN`).' },
  { key: 'sandbox.mode', value: 'auto, required, off', standard: 'auto', meaning: '`auto` confines where the machine can, `required` starts nothing without it, `off` confines nothing. `sandbox: required` is short for it.' },
  { key: 'sandbox.write', value: 'list of texts', standard: '[]', meaning: 'Further files and folders that are writable inside, such as `~/.npm`.' },
  { key: 'sandbox.read', value: 'list of texts', standard: '[]', meaning: 'Further files and folders that are readable inside, such as `~/.npmrc`.' },
  { key: 'sandbox.hide', value: 'list of texts', standard: '[]', meaning: 'Further files and folders that are hidden inside.' },
  { key: 'sandbox.others', value: 'read, hide', standard: 'read', meaning: 'Whether the main checkout and other worktrees are readable inside.' },
  { key: 'sandbox.network', value: 'open, allowlist, none', standard: 'open', meaning: '`open` is the network of the machine, `allowlist` reaches `sandbox.hosts` and the model of the CLI only, `none` nothing but itself.' },
  { key: 'sandbox.hosts', value: 'list of texts', standard: '[]', meaning: 'Hosts that `allowlist` reaches: `registry.npmjs.org`, `*.example.com`; with a port for a service of your own network, `localhost:4873`.' },
  { key: 'limits.memory', value: 'size', standard: 'null', meaning: 'Memory of all its processes together, with its temporary files; an agent that uses more is stopped. Without a limit it is null.' },
  { key: 'limits.processes', value: 'number', standard: 'null', meaning: 'Processes and threads that it may have at the same time; without a limit it is null.' },
  { key: 'limits.cpuWeight', value: 'number', standard: 'null', meaning: 'Its share of the processor while that is scarce: 1 to 10000, where 100 is the share of any other program; null is 100.' },
  { key: 'permissions.timeout', value: 'duration', standard: '10m', meaning: 'An unanswered permission request counts as denied after this time.' },
  { key: 'worktrees.path', value: 'text', standard: '"../{name}"', meaning: 'Folder of a new worktree, relative to the repository and never inside it; must contain `{name}`.' },
  { key: 'worktrees.setup', value: 'text', standard: '""', meaning: 'Shell command that prepares a new worktree, such as `npm ci`.' },
  { key: 'worktrees.setupTimeout', value: 'duration', standard: '10m', meaning: 'Time limit of `setup`.' },
  { key: 'worktrees.teardown', value: 'text', standard: '""', meaning: 'Shell command that runs in a worktree before its folder is removed, such as `docker compose down`.' },
  { key: 'worktrees.teardownTimeout', value: 'duration', standard: '2m', meaning: 'Time limit of `teardown`.' },
  { key: 'worktrees.ports', value: '[first, last]', standard: '[41000, 41999]', meaning: 'Range of ports; each worktree leases one, `AISWARM_PORT`.' },
  { key: 'worktrees.retention', value: 'duration', standard: '14d', meaning: 'Time that the folder of an ended worktree stays in the trash.' },
  { key: 'worktrees.perTask', value: 'true, false', standard: 'false', meaning: 'A task without a worktree gets its own one when an agent that may write starts it. `aiswarm init` writes `true`.' },
  { key: 'worktrees.writers', value: 'number', standard: '1', meaning: 'Agents that may write at the same time in one worktree; further ones wait.' },
  { key: 'integration.target', value: 'text', standard: 'main', meaning: 'Branch that work is merged into.' },
  { key: 'integration.verify', value: 'text', standard: '""', meaning: 'Shell command that a merged commit must pass, such as `npm test`. Read from the target branch.' },
  { key: 'integration.approval', value: 'auto, human', standard: 'human', meaning: 'Whether a person approves each integration. Read from the target branch.' },
  { key: 'integration.pass', value: 'list of texts', standard: '[]', meaning: 'Environment variables that code of a branch gets: verification, setup, teardown, commands; such as `[CI, JAVA_HOME, MY_*]`.' },
  { key: 'integration.watchCheckout', value: 'true, false', standard: 'true', meaning: 'List files of the main checkout that change while agents run in worktrees; `false` if you edit there all day.' },
  { key: 'lease.ttl', value: 'duration', standard: '1m', meaning: 'A task becomes pending again when its agent has sent no heartbeat for this time.' },
  { key: 'lease.heartbeat', value: 'duration', standard: '10s', meaning: 'Interval of heartbeats.' },
  { key: 'lease.stalledAfter', value: 'duration', standard: '5m', meaning: 'An agent without progress for this time needs you; the output of a plain command is its progress.' },
  { key: 'lease.terminateGrace', value: 'duration', standard: '10s', meaning: 'Time between SIGTERM and SIGKILL.' },
  { key: 'mcp.toolsets', value: 'list of session-files, working-memory, project-memory, dual-memory, all', standard: '[]', meaning: 'Memory tools that every agent has as well as those of its persona.' },
  { key: 'memory.owners', value: 'section', standard: '{claude: [verification, implementation-history, context-health], chatgpt: [draft-adrs, design-decisions, phase-planning], lovable: [implementation-iterations, ui-decisions, build-results]}', meaning: 'Subjects of project memory whose word counts when sources disagree, by agent.' },
  { key: 'budget.task.costUsd', value: 'number', standard: 'null', meaning: 'Dollars that all attempts of a task may cost.' },
  { key: 'budget.task.tokens', value: 'number', standard: 'null', meaning: 'Tokens, in and out, that all attempts of a task may use.' },
  { key: 'budget.session.costUsd', value: 'number', standard: 'null', meaning: 'Dollars that a session may cost.' },
  { key: 'budget.session.tokens', value: 'number', standard: 'null', meaning: 'Tokens, in and out, that a session may use.' },
  { key: 'console.theme', value: 'auto, dark, light, contrast, mono', standard: 'auto', meaning: 'Colours; `auto` follows the background of the terminal. `NO_COLOR` overrides it.' },
  { key: 'console.keys', value: 'key or list of keys', standard: '{}', meaning: 'Other keys by the names in docs/console.md, such as `{new: A, zoom: [K, Z]}`.' },
  { key: 'console.mouse', value: 'true, false', standard: 'true', meaning: 'Select rows, scroll and press keys of the footer with the mouse; with shift the terminal selects text.' },
  { key: 'console.strict', value: 'true, false', standard: 'false', meaning: 'Keys that act at once, and the submission of a form, require ctrl-x before them.' },
  { key: 'console.templates', value: 'section', standard: '{}', meaning: "Texts for messages to agents by their names, such as `{tests: 'Run the tests before you complete the task.'}`." },
  { key: 'notify.bell', value: 'true, false', standard: 'true', meaning: 'Ring the bell of the terminal.' },
  { key: 'notify.osc', value: 'true, false', standard: 'true', meaning: 'Ask the terminal for a desktop notification (OSC 9 and OSC 777).' },
  { key: 'notify.command', value: 'text', standard: '""', meaning: 'Shell command, such as `notify-send aiswarm {text}`; the text is also in `AISWARM_NOTICE`.' },
  { key: 'notify.quiet', value: 'list of configuration, moved, permission, question, budget, command, unstartable, stalled, approve, conflict, unverified, failed, denial, mail, checkout', standard: '[checkout]', meaning: 'Kinds of items that are listed only, never announced.' },
  { key: 'on.task.completed', value: 'hook or list of hooks', standard: '[]', meaning: 'Hooks by event: a shell command, `{run}`, or `{post, headers}`; one or a list.' },
  { key: 'on.task.failed', value: 'hook or list of hooks', standard: '[]', meaning: 'Hooks by event: a shell command, `{run}`, or `{post, headers}`; one or a list.' },
  { key: 'on.worktree.integrated', value: 'hook or list of hooks', standard: '[]', meaning: 'Hooks by event: a shell command, `{run}`, or `{post, headers}`; one or a list.' },
]
