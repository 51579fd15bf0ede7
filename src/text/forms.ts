import { counts } from './common.ts'

// Forms and confirmations.

export const formText = {
  /** In the border of a form: the visible lines of a long question and the key for the next lines. */
  readsOn: (key: string, range: string) => `${range}, ${key} for more`,
  /** Beside the first line of a text of several lines. */
  moreLines: (n: number) => ` (+${counts.lines(n)})`,
  lines: (n: number) => counts.lines(n),
  options: (options: readonly string[]) => options.join(' · '),
  /** Names that the key takes; the first one next. */
  offers: (offers: readonly string[]) => offers.join(' · '),
  last: (value: string, hint: string) => `${value} (last); ${hint}`,
  linesHint: (hint: string) => `${hint}; {open-text} editor, {break-line} new line`,
  notLines: 'Only a text of several lines opens in your editor. Go to the description with {next-field}.',
  draftKept: 'The draft is kept until you quit; {new} continues it.',
} as const

/** The first choice of a field: none of the listed values. */
export const noChoice = {
  root: '(repository root)',
  own: '(new worktree)',
  configured: '(as configured)',
  anyHost: '(any host)',
  ownWords: '(own answer)',
} as const

export const taskForm = {
  title: 'New task',
  continued: 'New task (your draft)',
  labels: {
    title: 'Title',
    persona: 'Persona',
    description: 'Description',
    worktree: 'Worktree',
    command: 'Command',
    depends: 'Depends on',
    criteria: 'Criteria',
    priority: 'Priority',
    kind: 'Kind',
    model: 'Model',
    host: 'Host',
    labels: 'Labels',
    budget: 'Budget',
  },
  hints: {
    title: 'the work to do',
    description: 'details for the agent',
    command: 'shell command to run instead of an agent',
    depends: 'numbers (1, 2), or words of a title',
    criteria: 'what must be true at the end, one per line',
    priority: '0; higher numbers start first',
    model: 'as configured; a name that the agent CLI knows',
    labels: 'that its host must have, separated by commas',
    budget: '2.50 for dollars, 200k tokens, or both; then you are asked',
  },
  /** As the field reads it. */
  tokens: (n: number) => `${n} tokens`,
  needsTitle: 'The title is empty. Enter a title.',
  wrongPriority: (typed: string) => `'${typed}' is not a priority. Enter a whole number.`,
  wrongDependencies: (typed: string) => `'${typed}' is not a list of tasks. Enter task numbers, such as 1,2.`,
  wrongBudget: (typed: string) => `'${typed}' is not a budget. Enter dollars (2.50), tokens (200k tokens), or both.`,
  isMade: (id: number, title: string) => `Created task ${id} “${title}”.`,
  lacksAgent: "No agent CLI can run it: see 'aiswarm doctor'.",
} as const

export const editForm = {
  title: (id: number, title: string) => `Edit task ${id}  ${title}`,
  noTask: 'Select a task to edit.',
  editorLabel: 'editor',
  nothingChanged: (id: number) => `Task ${id} stays as it is.`,
  changed: (id: number, changes: readonly string[]) =>
    changes.length === 0 ? `Task ${id} has these values already.` : `Task ${id}: ${changes.join('; ')}.`,
} as const

export const spawnForm = {
  title: 'Spawn an agent that takes tasks',
  labels: { persona: 'Persona', worktree: 'Worktree', kind: 'Kind' },
  takesTasks: (agent: string, kind: string, persona: string) => `${agent} (${kind}) takes tasks for ${persona}.`,
} as const

export const sayForm = {
  title: (agent: string, kind: string) => `Say to ${agent} (${kind})`,
  labels: { text: 'Message', when: 'When', to: 'To', template: 'Template' },
  noTemplate: 'none',
  all: (agents: number) => `all ${agents} agents`,
  marked: (agents: number) => `${agents} marked ${agents === 1 ? 'agent' : 'agents'}`,
  hint: 'words for the agent',
  now: (means: string) => `. Now: ${means}`,
  whens: { now: 'now', turn: 'end of turn', stop: 'stop the turn first', attempt: 'next attempt' },
  noAgent: 'No agent to speak to: select one, or a task or worktree with one.',
  needsWords: 'The message is empty. Enter a message.',
  queued: (agent: string, when: string) => `Message to ${agent} is queued (${when}); its details show the receipt.`,
} as const

export const reasonForms = {
  label: 'Reason',
  reject: {
    title: (worktree: string) => `Reject the integration of ${worktree}`,
    hint: 'what must change',
    needsReason: 'The reason is empty. Enter a reason.',
    did: 'rejected',
    isDone: (worktree: string) => `Rejected the integration of ${worktree}; the worktree is kept.`,
  },
  discard: {
    title: (worktree: string) => `Discard worktree ${worktree}`,
    hint: 'why it is not needed',
    needsReason: 'The reason is empty. Enter a reason.',
  },
} as const

export const answerForm = {
  title: (question: string) => `Answer: ${question}`,
  label: 'Answer',
  ownWords: 'Own answer',
  /** `{next-option}` and similar placeholders become the key of that row. */
  chooseHint: '{previous-option} {next-option} choose: ',
  wordsHint: 'the answer for the agent',
  choose: 'Choose an answer with {previous-option} {next-option}, or type your own.',
  needsWords: 'The answer is empty. Enter an answer.',
  did: 'answered',
  isTold: (agent: string, answer: string) => `Answered ${agent}: ${answer}`,
} as const

export const denyForm = {
  title: (agent: string, tool: string | null) => `Deny ${agent} the use of ${tool}`,
  label: 'Words',
  hint: 'what the agent should do instead',
  needsWords: 'The words are empty. Enter words for the agent.',
  isTold: (agent: string, words: string) => `Denied ${agent}: ${words}`,
} as const

/** The exact consequences, shown before a confirmation. */
export const intentText = {
  cancel: (task: number, title: string | null) => `Cancels task ${task}${title === null ? '' : ` “${title}”`}`,
  stopsProcess: 'stops the process of',
  takesFrom: 'releases it from',
  endsFor: (cancels: string, ends: string, agent: string) => `${cancels} and ${ends} ${agent}.`,
  whatStays: 'Its changes stay in the worktree. Tasks that depend on it stay blocked.',
  terminate: (agent: string, tasks: readonly number[]) =>
    `Terminates ${agent}${tasks.length === 0 ? '.' : ` and makes ${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(', ')} pending again.`}`,
  discard: (worktree: string, reason: string) => `Discards worktree ${worktree}: ${reason}`,
  cancelsTasks: (tasks: readonly number[]) =>
    tasks.length > 0 ? `Cancels its unfinished tasks: ${tasks.join(', ')}.` : 'It has no unfinished tasks.',
  stopsAgents: (agents: readonly string[]) =>
    agents.length > 0 ? `Stops ${agents.join(', ')}.` : 'No agent works in it.',
  folderStays: (who: string) => `${who}: the folder is kept until this process exits or leaves it.`,
  nothingBeside: 'It has no changes beyond its branch.',
  archives: 'Archives:',
  onlyInTrash: 'Kept only in the trash, deleted later:',
  restore: (worktree: string) => `'aiswarm worktree restore ${worktree}' restores it.`,
  spawn: (persona: string, task: number) =>
    `Starts an agent (${persona}) for task ${task}. It runs this command in the worktree:`,
  spawnTask: (persona: string, task: number) => `Starts an agent (${persona}) for task ${task}.`,
  beside: (why: string) =>
    `${why[0]!.toUpperCase()}${why.slice(1)}. Two agents in one worktree may commit each other's changes.`,
  withPid: (agent: string, pid: number) => `${agent} (pid ${pid})`,
} as const

/** Receipts. */
export const receiptText = {
  didCancel: 'cancelled',
  cancelled: (task: number) => `Task ${task} is cancelled.`,
  ended: (agent: string) => `${agent} is terminated.`,
  stopping: (agent: string) => `Stopping ${agent}.`,
  discarded: (worktree: string) => `${worktree} is discarded; ${intentText.restore(worktree)}`,
  started: 'started',
  starting: (agent: string, kind: string, task: number) => `Starting ${agent} (${kind}) on task ${task}.`,
} as const

/** Below a form. */
export const formHints = {
  several: '{submit} submit   esc cancel   {next-field} next field   {previous-option} {next-option} change option',
  one: '{submit} submit   esc cancel',
  command:
    '{submit} submit   esc cancel   {copy-line} copy line   {next-field} next field   {previous-option} {next-option} change option',
  running: 'running…',
} as const
