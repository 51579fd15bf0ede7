// The words of the states in components/base/look.ts.

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
