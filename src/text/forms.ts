// What is typed before something is done, and the question that follows.

export const formText = {
  /** In the border of a form: which lines of a long question are seen, and the key for those that follow. */
  readsOn: (key: string, range: string) => `${range}, ${key} reads on`,
} as const

/** First among the choices of a field: none of those that are listed. */
export const noChoice = {
  root: '(repository root)',
  own: '(one of its own)',
  configured: '(as configured)',
  ownWords: '(in my own words)',
} as const

export const taskForm = {
  title: 'New task',
  labels: {
    title: 'Title',
    persona: 'Persona',
    description: 'Description',
    worktree: 'Worktree',
    command: 'Command',
    depends: 'Depends on',
    priority: 'Priority',
  },
  hints: {
    title: 'what is to be done',
    description: 'what the agent should know',
    command: 'a shell command that does it; else an agent does',
    depends: 'numbers of tasks: 1,2',
    priority: '0; higher is more important',
  },
  needsTitle: 'A task needs a title.',
  wrongPriority: (typed: string) => `A priority is a whole number, this is '${typed}'.`,
  wrongDependencies: (typed: string) => `Dependencies are numbers of tasks, such as 1,2; this is '${typed}'.`,
  isMade: (id: number, title: string) => `Task ${id} “${title}” is on the board.`,
  lacksAgent: "It lacks an agent: see 'aiswarm doctor'.",
} as const

export const spawnForm = {
  title: 'Spawn an agent that works off the board',
  labels: { persona: 'Persona', worktree: 'Worktree', kind: 'Kind' },
  takesTasks: (agent: string, kind: string, persona: string) => `${agent} (${kind}) takes tasks of ${persona} off the board.`,
} as const

export const reasonForms = {
  label: 'Reason',
  reject: {
    title: (worktree: string) => `Reject the integration of ${worktree}`,
    hint: 'what is missing',
    needsReason: 'A rejection needs a reason.',
    did: 'rejected',
    isDone: (worktree: string) => `The integration of ${worktree} is rejected; the worktree stays.`,
  },
  discard: {
    title: (worktree: string) => `Discard worktree ${worktree}`,
    hint: 'why it is given up',
    needsReason: 'Discarding needs a reason.',
  },
} as const

export const answerForm = {
  title: (question: string) => `Answer: ${question}`,
  label: 'Answer',
  ownWords: 'Own words',
  /** `{next-option}` and the like stand for the key of that row. */
  chooseHint: '{previous-option} {next-option} chooses: ',
  wordsHint: 'what the agent is to know',
  choose: 'Choose an answer with {previous-option} {next-option}, or type one of your own.',
  needsWords: 'An answer needs words.',
  did: 'answered',
  isTold: (agent: string, answer: string) => `${agent} is told: ${answer}`,
} as const

/** What exactly would happen, asked before it does. */
export const intentText = {
  cancel: (task: number, title: string | null) => `Cancels task ${task}${title === null ? '' : ` “${title}”`}`,
  stopsProcess: 'stops the process of',
  takesFrom: 'takes it from',
  endsFor: (cancels: string, ends: string, agent: string) => `${cancels} and ${ends} ${agent}.`,
  whatStays: 'What it left in its worktree stays there. Tasks that depend on it stay blocked.',
  terminate: (agent: string, tasks: readonly number[]) =>
    `Terminates ${agent}${tasks.length === 0 ? '.' : ` and puts ${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(', ')} back on the board.`}`,
  discard: (worktree: string, reason: string) => `Discards worktree ${worktree}: ${reason}`,
  cancelsTasks: (tasks: readonly number[]) => (tasks.length > 0 ? `Cancels its unfinished tasks: ${tasks.join(', ')}.` : 'It has no unfinished tasks.'),
  stopsAgents: (agents: readonly string[]) => (agents.length > 0 ? `Stops ${agents.join(', ')}.` : 'No agent works in it.'),
  folderStays: (who: string) => `${who}: the folder stays until it has ended or left.`,
  nothingBeside: 'It has nothing but what its branch has.',
  archives: 'Archives:',
  onlyInTrash: 'Only in the trash, and not for long:',
  restore: (worktree: string) => `'aiswarm worktree restore ${worktree}' brings it back.`,
  spawn: (persona: string, task: number) => `Starts an agent (${persona}) for task ${task}, which runs this command in its worktree:`,
  spawnTask: (persona: string, task: number) => `Starts an agent (${persona}) for task ${task}.`,
  beside: (why: string) => `${why[0]!.toUpperCase()}${why.slice(1)}. Two agents in one worktree may commit each other's work.`,
  withPid: (agent: string, pid: number) => `${agent} (pid ${pid})`,
} as const

/** What was done. */
export const receiptText = {
  didCancel: 'cancelled',
  cancelled: (task: number) => `Task ${task} is cancelled.`,
  ended: (agent: string) => `${agent} has ended.`,
  stopping: (agent: string) => `${agent} is being stopped.`,
  discarded: (worktree: string) => `${worktree} is discarded; ${intentText.restore(worktree)}`,
  started: 'started',
  starting: (agent: string, kind: string, task: number) => `${agent} (${kind}) is starting on task ${task}.`,
} as const
