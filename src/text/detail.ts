import { commonText } from './common.ts'

// What Enter opens of a row: its facts, then its sections.

export const taskText = {
  title: (id: number) => `Task ${id}`,
  wakes: (sleep: string, key: string) => `${sleep}; ${key} wakes it`,
  blockedBy: (tasks: readonly number[]) => `by ${tasks.join(', ')}`,
  repositoryRoot: 'the repository root',
  attempts: (attempt: number, retried: number) => `${attempt}, ${retried} retried`,
  waitsForAnswer: '; it waits for your answer',
  facts: {
    persona: 'persona',
    priority: 'priority',
    agent: 'agent',
    worktree: 'worktree',
    attempt: 'attempt',
    progress: 'progress',
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
  commit: (oid: string, subject: string, author: string, at: string, attempt: number) => `${oid} ${subject}  (${author}, ${at}, attempt ${attempt})`,
  result: 'Result',
  artifacts: 'Artifacts',
  notes: 'Logs',
  noNotes: 'Nothing was said yet.',
} as const

/** What processes use together. */
const use = (processes: string, cpu: number, memory: string): string => `${processes}, ${Math.round(cpu)}% of a core, ${memory}`

export const agentText = {
  title: (id: string) => `Agent ${id}`,
  facts: {
    persona: 'persona',
    kind: 'kind',
    process: 'process',
    task: 'task',
    worktree: 'worktree',
    used: 'used',
    paused: 'paused',
    spawnedBy: 'spawned by',
    registered: 'registered',
    heartbeat: 'heartbeat',
    stopAsked: 'stop asked',
    ended: 'ended',
    folder: 'in',
  },
  process: (pid: number, run: number) => `${pid}, run ${run}`,
  uses: (processes: number, cpu: number, memory: string) => use(`${processes} processes`, cpu, memory),
  usesShort: (processes: number, cpu: number, memory: string) => use(String(processes), cpu, memory),
  context: (words: string) => `Context ${words}`,
  paused: (at: string, task: number | null) => `${at}, until you say whether task ${task} may cost more`,
  exitCode: (code: number) => `, exit code ${code}`,
  failure: 'It could not be started',
  command: 'Command line',
  masked: 'secrets masked',
  environment: 'Environment',
  namesOnly: 'names only',
  secret: (name: string) => `${name} (secret)`,
  processes: 'Processes',
  columns: { pid: 'PID', cpu: 'CPU', memory: 'MEM', command: 'COMMAND' },
  runs: 'Runs',
  notHere: 'It does not run here now; nothing of this is kept.',
} as const

/** How a run of an agent went: parts of one line. */
export const runText = {
  task: (id: number) => ` task ${id}`,
  resumed: ', session resumed',
  goesOn: ', runs',
  endedBySignal: `, ${commonText.endedBySignal}`,
  exit: (code: number) => `, exit ${code}`,
  problem: (problem: string) => `could not work: ${problem}`,
  said: (said: string) => `said: ${said}`,
} as const

export const worktreeText = {
  title: (name: string) => `Worktree ${name}`,
  into: (target: string) => `into ${target}`,
  folder: (status: string, folder: string) => `${status}, folder ${folder}`,
  facts: {
    branch: 'branch',
    forkedFrom: 'forked from',
    path: 'path',
    createdBy: 'created by',
    commits: 'commits',
    uncommitted: 'uncommitted',
    port: 'port',
    size: 'size',
    discarded: 'discarded',
    archive: 'archive',
  },
  distance: (ahead: number, behind: number) => `${ahead} ahead, ${behind} behind`,
  paths: (n: number) => `${n} paths`,
  atLeast: (size: string) => `at least ${size}`,
  conflicts: 'Conflicts',
  problem: 'Problem',
  radar: 'Conflict radar',
  mergesWithAll: 'merges with everything',
  mergesWithEach: 'It merges with its target and with every other worktree.',
  verification: 'Verification',
  commits: 'Commits',
  files: 'Files',
  tasks: 'Tasks',
  holdsNothing: (target: string) => `It holds nothing that ${target} lacks.`,
  onlyNewest: (n: number) => `… only the newest ${n} are shown`,
  noFileDiffers: (target: string) => `No file differs from ${target}.`,
  onlyFirst: (n: number) => `… only the first ${n} are shown`,
  binary: 'binary',
} as const

export const sinceThen = (reason: string, since: string): string => `${reason}; for ${since} now`

export const nothingToFold = 'There is nothing to fold here.'
