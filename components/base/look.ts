import type { AgentState } from '../../src/domain/agent/agent.ts'
import type { AttentionKind } from '../../src/domain/request/inbox.ts'
import type { BoardColumn, TaskState } from '../../src/domain/task/task.ts'
import type { IntegrationState } from '../../src/domain/integration/integration.ts'
import type { RiskKind } from '../../src/domain/integration/risk.ts'
import type { SessionState } from '../../src/domain/session/session.ts'
import type { ColourName } from './theme.ts'
import {
  agentWords,
  attentionWords,
  boardWords,
  columnWords,
  integrationWords,
  logWords,
  riskWords,
  sessionWords,
  toneWords,
} from '../../src/text/states.ts'

/** The look of a state: a mark and a word identify it without colour. */
export interface Look {
  readonly mark: string
  readonly word: string
  readonly colour?: ColourName
  readonly dim?: boolean
}

/** The states on the board: the stored ones, and those that are derived from the rest of the row. */
export type BoardState =
  TaskState | 'blocked' | 'waiting' | 'sleeping' | 'spent' | 'stalled' | 'asking' | 'asks' | 'unknown'

export const boardLooks: Record<BoardState, Look> = {
  pending: { mark: '○', word: boardWords.pending },
  blocked: { mark: '◌', word: boardWords.blocked, dim: true },
  waiting: { mark: '◔', word: boardWords.waiting, colour: 'yellow' },
  sleeping: { mark: '◔', word: boardWords.sleeping, colour: 'yellow' },
  spent: { mark: '‖', word: boardWords.spent, colour: 'magenta' },
  asking: { mark: '?', word: boardWords.asking, colour: 'magenta' },
  asks: { mark: '?', word: boardWords.asks, colour: 'magenta' },
  claimed: { mark: '◐', word: boardWords.claimed, colour: 'cyan' },
  in_progress: { mark: '●', word: boardWords.in_progress, colour: 'green' },
  stalled: { mark: '◍', word: boardWords.stalled, colour: 'yellow' },
  completed: { mark: '✓', word: boardWords.completed, colour: 'green', dim: true },
  failed: { mark: '✗', word: boardWords.failed, colour: 'red' },
  cancelled: { mark: '–', word: boardWords.cancelled, dim: true },
  unknown: { mark: '·', word: boardWords.unknown, dim: true },
}

export const columnLooks: Record<BoardColumn, Look> = {
  pending: { mark: '○', word: columnWords.pending },
  working: { mark: '●', word: columnWords.working, colour: 'green' },
  failed: { mark: '✗', word: columnWords.failed, colour: 'red' },
  completed: { mark: '✓', word: columnWords.completed, colour: 'green' },
  cancelled: { mark: '–', word: columnWords.cancelled },
}

/** An agent that was asked to stop is shown as stopping, whatever its state; so is one that ended with an error. */
export type AgentLook = AgentState | 'stopping' | 'broken' | 'asking' | 'paused'

export const agentLooks: Record<AgentLook, Look> = {
  active: { mark: '●', word: agentWords.active, colour: 'green' },
  idle: { mark: '○', word: agentWords.idle },
  offline: { mark: '◌', word: agentWords.offline, colour: 'yellow' },
  asking: { mark: '?', word: agentWords.asking, colour: 'magenta' },
  paused: { mark: '‖', word: agentWords.paused, colour: 'magenta' },
  stopping: { mark: '◍', word: agentWords.stopping, colour: 'yellow' },
  terminated: { mark: '·', word: agentWords.terminated, dim: true },
  broken: { mark: '✗', word: agentWords.broken, colour: 'red' },
}

const integrations = {
  requested: { mark: '…', word: integrationWords.requested, colour: 'cyan' },
  conflicted: { mark: '⚠', word: integrationWords.conflicted, colour: 'red' },
  verifying: { mark: '…', word: integrationWords.verifying, colour: 'cyan' },
  unverified: { mark: '✗', word: integrationWords.unverified, colour: 'red' },
  ready: { mark: '⚑', word: integrationWords.ready, colour: 'magenta' },
  approved: { mark: '✓', word: integrationWords.approved, colour: 'green' },
  moving: { mark: '→', word: integrationWords.moving, colour: 'green' },
  integrated: { mark: '✓', word: integrationWords.integrated, colour: 'green', dim: true },
  rejected: { mark: '–', word: integrationWords.rejected, dim: true },
} as const satisfies Record<IntegrationState, Look>

/** Its mark and its word are those of the table. */
export type IntegrationLook = Look & Pick<(typeof integrations)[IntegrationState], 'mark' | 'word'>

export const integrationLooks: Record<IntegrationState, IntegrationLook> = integrations

/** Inbox items by kind. */
export const attentionLooks: Record<AttentionKind, Look> = {
  configuration: { mark: '!', word: attentionWords.configuration, colour: 'red' },
  moved: { mark: '!', word: attentionWords.moved, colour: 'red' },
  permission: { mark: '?', word: attentionWords.permission, colour: 'magenta' },
  question: { mark: '?', word: attentionWords.question, colour: 'magenta' },
  budget: { mark: '$', word: attentionWords.budget, colour: 'yellow' },
  command: { mark: '>', word: attentionWords.command, colour: 'magenta' },
  unstartable: { mark: '!', word: attentionWords.unstartable, colour: 'yellow' },
  stalled: { mark: '◍', word: attentionWords.stalled, colour: 'yellow' },
  approve: { mark: '⚑', word: attentionWords.approve, colour: 'magenta' },
  conflict: { mark: '⚠', word: attentionWords.conflict, colour: 'red' },
  unverified: { mark: '✗', word: attentionWords.unverified, colour: 'red' },
  failed: { mark: '✗', word: attentionWords.failed, colour: 'red' },
  denial: { mark: '–', word: attentionWords.denial, dim: true },
  returned: { mark: '↩', word: attentionWords.returned, colour: 'yellow' },
  mail: { mark: '@', word: attentionWords.mail, colour: 'cyan' },
  checkout: { mark: '~', word: attentionWords.checkout, dim: true },
}

/** The reasons to review a file separately. */
export const riskLooks: Record<RiskKind, Look> = {
  secret: { mark: '!', word: riskWords.secret, colour: 'red' },
  hook: { mark: '!', word: riskWords.hook, colour: 'red' },
  ci: { mark: '!', word: riskWords.ci, colour: 'red' },
  instructions: { mark: '!', word: riskWords.instructions, colour: 'red' },
  scripts: { mark: '!', word: riskWords.scripts, colour: 'red' },
  submodule: { mark: '!', word: riskWords.submodule, colour: 'red' },
  mixed: { mark: '!', word: riskWords.mixed, colour: 'red' },
  repository: { mark: '!', word: riskWords.repository, colour: 'red' },
  history: { mark: '!', word: riskWords.history, colour: 'red' },
  editor: { mark: '!', word: riskWords.editor, colour: 'red' },
  tests: { mark: '!', word: riskWords.tests, colour: 'red' },
  build: { mark: '⚠', word: riskWords.build, colour: 'yellow' },
  symlink: { mark: '⚠', word: riskWords.symlink, colour: 'yellow' },
  executable: { mark: '⚠', word: riskWords.executable, colour: 'yellow' },
  hidden: { mark: '!', word: riskWords.hidden, colour: 'red' },
  elsewhere: { mark: '⚠', word: riskWords.elsewhere, colour: 'yellow' },
  configuration: { mark: '⚠', word: riskWords.configuration, colour: 'yellow' },
  lockfile: { mark: '⚠', word: riskWords.lockfile, colour: 'yellow' },
  binary: { mark: '⚠', word: riskWords.binary, colour: 'yellow' },
  'large-file': { mark: '⚠', word: riskWords['large-file'], colour: 'yellow' },
  deletion: { mark: '⚠', word: riskWords.deletion, colour: 'yellow' },
}

export const sessionLooks: Record<SessionState, Look> = {
  running: { mark: '●', word: sessionWords.running, colour: 'green' },
  completed: { mark: '✓', word: sessionWords.completed, dim: true },
  failed: { mark: '✗', word: sessionWords.failed, colour: 'red' },
  aborted: { mark: '–', word: sessionWords.aborted, dim: true },
}

/** Lines of the log: the levels of notes, and raw output without a level. */
export type LogLook = 'debug' | 'info' | 'warn' | 'error' | 'output'

export const logLooks: Record<LogLook, Look> = {
  debug: { mark: '·', word: logWords.debug, dim: true },
  info: { mark: '·', word: logWords.info, colour: 'cyan' },
  warn: { mark: '!', word: logWords.warn, colour: 'yellow' },
  error: { mark: '✗', word: logWords.error, colour: 'red' },
  output: { mark: ' ', word: logWords.output },
}

export type Tone = 'told' | 'done' | 'refused' | 'bug'

export const toneLooks: Record<Tone, Look> = {
  told: { mark: '·', word: toneWords.told },
  done: { mark: '✓', word: toneWords.done, colour: 'green' },
  refused: { mark: '!', word: toneWords.refused, colour: 'yellow' },
  bug: { mark: '✗', word: toneWords.bug, colour: 'red' },
}
