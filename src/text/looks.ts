// The words of the looks in components/look.ts, by what they stand for.

export const boardWords = {
  pending: 'pending',
  blocked: 'blocked',
  waiting: 'retry soon',
  sleeping: 'sleeps',
  spent: 'over budget',
  asking: 'needs a yes',
  asks: 'asks you',
  claimed: 'claimed',
  in_progress: 'working',
  stalled: 'stalled',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'unknown',
} as const

export const columnWords = { pending: 'pending', working: 'working', failed: 'failed', completed: 'done', cancelled: 'cancelled' } as const

export const agentWords = {
  active: 'active',
  idle: 'idle',
  offline: 'offline',
  asking: 'waits for you',
  paused: 'paused',
  stopping: 'stopping',
  terminated: 'ended',
  broken: 'failed',
} as const

export const integrationWords = {
  requested: 'being merged',
  conflicted: 'conflicts',
  verifying: 'being verified',
  unverified: 'verification failed',
  ready: 'approve?',
  approved: 'approved',
  moving: 'moving',
  integrated: 'integrated',
  rejected: 'rejected',
} as const

export const attentionWords = {
  configuration: 'configuration',
  permission: 'permission',
  question: 'question',
  budget: 'budget',
  command: 'command',
  unstartable: 'cannot start',
  stalled: 'stalled',
  approve: 'approve?',
  conflict: 'conflict',
  unverified: 'unverified',
  failed: 'failed',
  denial: 'not allowed',
} as const

export const riskWords = {
  secret: 'secret',
  hook: 'git',
  ci: 'build server',
  instructions: 'agent instructions',
  scripts: 'package scripts',
  submodule: 'submodule',
  symlink: 'symbolic link',
  executable: 'executable',
  hidden: 'hidden text',
  elsewhere: 'worked on elsewhere',
  configuration: 'configuration',
  lockfile: 'lockfile',
  binary: 'binary',
  'large-file': 'large',
  deletion: 'deleted',
} as const

export const sessionWords = { running: 'running', completed: 'completed', failed: 'failed', aborted: 'aborted' } as const

export const logWords = { debug: 'debug', info: 'info', warn: 'warn', error: 'error', output: '' } as const

export const toneWords = { told: 'note', done: 'done', refused: 'refused', bug: 'bug' } as const
