import { commonText, counts } from './common.ts'

// Details of a task, an agent or a worktree: facts, then sections.

export const taskText = {
  title: (id: number) => `Task ${id}`,
  wakes: (sleep: string, key: string) => `${sleep}; ${key} ends the sleep`,
  blockedBy: (tasks: readonly number[]) => `by ${tasks.join(', ')}`,
  repositoryRoot: 'the repository root',
  ownWorktree: 'one of its own, created when it starts',
  attempts: (attempt: number, retried: number) => `${attempt}, ${retried} retried`,
  waitsForAnswer: '; it needs your answer',
  facts: {
    persona: 'persona',
    priority: 'priority',
    agent: 'agent',
    worktree: 'worktree',
    wishes: 'to run',
    attempt: 'attempt',
    progress: 'progress',
    estimate: 'estimate',
    dependsOn: 'depends on',
    neededBy: 'needed by',
    parent: 'parent',
    subtasks: 'subtasks',
    createdBy: 'created by',
    claimed: 'claimed',
    started: 'started',
    completed: 'completed',
    context: 'context',
    used: 'used',
    budget: 'budget',
  },
  command: 'Command',
  error: 'Error',
  description: 'Description',
  criteria: 'Acceptance criteria',
  met: (met: number, all: number) => `${commonText.partOf(met, all)} met`,
  related: 'Dependencies and subtasks',
  noneRelated: 'None.',
  attemptList: 'Attempts',
  commits: 'Commits',
  commit: (oid: string, subject: string, author: string, at: string, attempt: number) =>
    `${oid} ${subject}  (${author}, ${at}, attempt ${attempt})`,
  result: 'Result',
  artifacts: 'Artifacts',
  history: 'History',
  did: {
    created: 'created',
    edited: 'edited',
    retried: 'retried',
    cancelled: 'cancelled',
    budget: 'answered its budget',
  },
  notes: 'Logs',
  noNotes: 'No notes or output yet.',
  printedBy: (agent: string, shown: number, all: number) =>
    shown < all ? `Output of ${agent}, the last ${shown} lines:` : `Output of ${agent}:`,
} as const

/** The sum of several processes. */
const use = (processes: string, cpu: number, memory: string): string =>
  `${processes}, ${Math.round(cpu)}% of a core, ${memory}`

export const agentText = {
  title: (id: string) => `Agent ${id}`,
  facts: {
    persona: 'persona',
    kind: 'kind',
    process: 'process',
    host: 'host',
    task: 'task',
    worktree: 'worktree',
    permissions: 'permissions',
    context: 'context',
    used: 'used',
    paused: 'paused',
    spawnedBy: 'spawned by',
    registered: 'registered',
    heartbeat: 'heartbeat',
    stopAsked: 'stop requested',
    ended: 'ended',
    folder: 'folder',
  },
  process: (pid: number, run: number) => `${pid}, run ${run}`,
  uses: (processes: number, cpu: number, memory: string) => use(counts.processes(processes), cpu, memory),
  usesShort: (processes: number, cpu: number, memory: string) => use(String(processes), cpu, memory),
  paused: (at: string, task: number | null) => `${at}, until you decide on the budget of task ${task}`,
  exitCode: (code: number) => `, exit code ${code}`,
  failure: 'Start failed',
  messages: 'Messages',
  refused: 'Refused hosts',
  allowsHosts: '{allow-host} allows them in the sandbox, from the next start on.',
  command: 'Command line',
  masked: 'secrets masked',
  environment: 'Environment',
  namesOnly: 'names only',
  secret: (name: string) => `${name} (secret)`,
  processes: 'Processes',
  columns: { pid: 'PID', cpu: 'CPU', memory: 'MEM', command: 'COMMAND' },
  runs: 'Runs',
  notHere: 'The agent is not running on this machine; this data is not stored.',
} as const

/** Parts of the lines of one message to an agent. */
export const messageText = {
  stop: 'Stop the turn.',
  to: (address: string) => ` to ${address}`,
  whens: { now: 'now', turn: 'end of turn', attempt: 'next attempt' },
  states: { queued: 'queued', handed_over: 'handed over', seen: 'seen', refused: 'refused' },
} as const

/** Parts of the line of one run. */
export const runText = {
  task: (id: number) => ` task ${id}`,
  resumed: ', session resumed',
  goesOn: ', running',
  endedBySignal: `, ${commonText.endedBySignal}`,
  exit: (code: number) => `, exit ${code}`,
  problem: (problem: string) => `failed: ${problem}`,
  said: (said: string) => `last message: ${said}`,
} as const

export const worktreeText = {
  title: (name: string) => `Worktree ${name}`,
  into: (target: string) => `· target ${target}`,
  folder: (status: string, folder: string) => `${status}, folder ${folder}`,
  facts: {
    host: 'host',
    branch: 'branch',
    forkedFrom: 'forked from',
    path: 'path',
    createdBy: 'created by',
    commits: 'commits',
    uncommitted: 'uncommitted',
    port: 'port',
    size: 'size',
    safeAsOf: 'safe as of',
    discarded: 'discarded',
    archive: 'archive',
  },
  distance: (ahead: number, behind: number) => `${ahead} ahead, ${behind} behind`,
  paths: counts.paths,
  atLeast: (size: string) => `at least ${size}`,
  conflicts: 'Conflicts',
  problem: 'Problem',
  radar: 'Conflict radar',
  mergesWithAll: 'no conflicts',
  mergesWithEach: 'No conflicts with the target or another worktree.',
  verification: 'Verification',
  commits: 'Commits',
  files: 'Files',
  tasks: 'Tasks',
  holdsNothing: (target: string) => `No changes that ${target} does not have.`,
  onlyNewest: (n: number) => `… only the newest ${n} are shown`,
  noFileDiffers: (target: string) => `No file differs from ${target}.`,
  onlyFirst: (n: number) => `… only the first ${n} are shown`,
  binary: 'binary',
} as const

export const nothingToFold = 'Nothing to fold here.'

/** A host that the sandbox refused, allowed from now on. */
export const allowHostText = {
  title: 'Allow a refused host',
  label: 'Host',
  all: (n: number) => `all ${n}`,
  none: 'No host was refused to this agent.',
  saves: (n: number, path: string) => `Adds ${n === 1 ? 'the host' : 'the hosts'} to sandbox.hosts in ${path}:`,
  saved: (hosts: readonly string[]) => `Allowed ${hosts.join(', ')} from the next start on.`,
} as const
