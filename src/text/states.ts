// The words of states: of the looks in components/base/look.ts, and of a row beyond the word of its look.

export const boardWords = {
  pending: 'pending',
  blocked: 'blocked',
  waiting: 'retry soon',
  sleeping: 'sleeping',
  spent: 'over budget',
  asking: 'unapproved',
  asks: 'needs you',
  claimed: 'claimed',
  in_progress: 'working',
  stalled: 'stalled',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
} as const

export const columnWords = {
  pending: 'pending',
  working: 'working',
  failed: 'failed',
  completed: 'done',
  cancelled: 'cancelled',
} as const

export const agentWords = {
  active: 'active',
  idle: 'idle',
  offline: 'offline',
  asking: 'needs you',
  paused: 'paused',
  stopping: 'stopping',
  terminated: 'terminated',
  broken: 'failed',
} as const

export const integrationWords = {
  requested: 'merging',
  conflicted: 'conflict',
  verifying: 'verifying',
  unverified: 'verification failed',
  ready: 'ready',
  approved: 'approved',
  moving: 'updating target',
  integrated: 'integrated',
  rejected: 'rejected',
} as const

export const attentionWords = {
  configuration: 'configuration',
  moved: 'target moved',
  permission: 'permission',
  question: 'question',
  budget: 'budget',
  command: 'command',
  unstartable: 'cannot start',
  stalled: 'stalled',
  approve: 'approval',
  conflict: 'conflict',
  unverified: 'verification',
  failed: 'failed',
  denial: 'denied',
  returned: 'host is back',
  mail: 'message',
  checkout: 'main checkout',
} as const

export const riskWords = {
  secret: 'secret',
  hook: 'git settings',
  ci: 'CI',
  instructions: 'agent instructions',
  scripts: 'package scripts',
  submodule: 'submodule',
  symlink: 'symlink',
  executable: 'executable',
  hidden: 'hidden text',
  mixed: 'look-alike letters',
  repository: 'repository inside',
  history: 'commits between',
  editor: 'editor tasks',
  tests: 'test set-up',
  build: 'build',
  elsewhere: 'changed elsewhere',
  configuration: 'configuration',
  lockfile: 'lockfile',
  binary: 'binary',
  'large-file': 'large',
  deletion: 'deleted',
} as const

export const sessionWords = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  aborted: 'aborted',
} as const

export const logWords = { debug: 'debug', info: 'info', warn: 'warn', error: 'error', output: '' } as const

export const toneWords = { told: 'note', done: 'done', refused: 'refused', bug: 'bug' } as const

// The state of a row, beyond the word of its look.

export const rowText = {
  quotaOf: (kind: string) => `${kind}'s quota`,
  hostSilent: (since: string) => `host silent since ${since}`,
  silent: (since: string) => `silent ${since}`,
  hostLost: 'host lost',
  hostWasLost: (host: string) => `host ${host} was declared lost`,
  hostIsSilent: (host: string, since: string) => `host ${host} has been silent since ${since}`,
  sleepsUntil: (at: string) => `asleep until ${at}`,
  blockedBy: (tasks: readonly number[], most: number) => `blocked by ${some(tasks, most)}`,
  retryIn: 'retries in',
  working: (percent: number) => `working ${percent}%`,
  also: (tasks: readonly number[], most: number) => `also ${some(tasks, most)}`,
  left: (time: string) => `~${time} left`,
  overUsual: (time: string) => `over the usual ${time}`,
  lasts: (time: string) => `for ${time}`,
  ended: 'ended',
  exit: (code: number) => (code === 0 ? 'ended ✓' : `exit ${code}`),
  verified: 'verified ✓',
  discarded: 'discarded',
  beingBuilt: 'creating',
  conflictsWith: (target: string) => `conflicts with ${target}`,
  conflictedWith: (target: string) => `conflicted with ${target}, retry`,
  held: (why: string) => `blocked: ${why}`,
  noRemote: 'no git remote answers',
  dirty: (files: number) => `${files} dirty`,
} as const

/** The last request of an agent, or its answer. */
export const askedText = {
  notAllowed: (tool: string) => `denied ${tool}`,
  asks: (subject: string) => `asks: ${subject}`,
  asksFor: (tool: string, subject: string) => `asks ${tool}: ${subject}`,
  allowed: (tool: string) => `allowed ${tool}`,
  denied: (tool: string) => `denied ${tool}`,
  answered: 'answered',
  expired: 'expired',
  withdrawn: 'withdrawn',
} as const

const some = (tasks: readonly number[], most: number): string =>
  `${tasks.slice(0, most).join(', ')}${tasks.length > most ? ', …' : ''}`

/** How an agent ended, without its name, for places beside the name. */
export const withoutAgent = (reason: string, agent: string): string => {
  const before = reason.startsWith(NO_ARTIFACT) ? NO_ARTIFACT : ''
  const named = `${before}${agent} ended with `
  return reason.startsWith(named) ? `${before}${reason.slice(named.length)}` : reason
}

const NO_ARTIFACT = 'no-artifact: '
