import type { AgentState } from '../src/domain/agent.ts'
import type { AttentionKind } from '../src/domain/attention.ts'
import type { BoardColumn } from '../src/domain/columns.ts'
import type { IntegrationState } from '../src/domain/integration.ts'
import type { RiskKind } from '../src/domain/risk.ts'
import type { SessionState } from '../src/domain/session.ts'
import type { TaskState } from '../src/domain/task.ts'
import type { ColourName } from './theme.ts'

/** How a state looks: a mark and a word tell it without any colour. */
export interface Look {
  readonly mark: string
  readonly word: string
  readonly colour?: ColourName
  readonly dim?: boolean
}

/** What the board tells apart: the stored states, and those that are derived from the rest of the row. */
export type BoardState = TaskState | 'blocked' | 'waiting' | 'sleeping' | 'spent' | 'stalled' | 'asking' | 'asks' | 'unknown'

export const boardLooks: Record<BoardState, Look> = {
  pending: { mark: '○', word: 'pending' },
  blocked: { mark: '◌', word: 'blocked', dim: true },
  waiting: { mark: '◔', word: 'retry soon', colour: 'yellow' },
  sleeping: { mark: '◔', word: 'sleeps', colour: 'yellow' },
  spent: { mark: '‖', word: 'over budget', colour: 'magenta' },
  asking: { mark: '?', word: 'needs a yes', colour: 'magenta' },
  asks: { mark: '?', word: 'asks you', colour: 'magenta' },
  claimed: { mark: '◐', word: 'claimed', colour: 'cyan' },
  in_progress: { mark: '●', word: 'working', colour: 'green' },
  stalled: { mark: '◍', word: 'stalled', colour: 'yellow' },
  completed: { mark: '✓', word: 'done', colour: 'green', dim: true },
  failed: { mark: '✗', word: 'failed', colour: 'red' },
  cancelled: { mark: '–', word: 'cancelled', dim: true },
  unknown: { mark: '·', word: 'unknown', dim: true },
}

export const columnLooks: Record<BoardColumn, Look> = {
  pending: { mark: '○', word: 'pending' },
  working: { mark: '●', word: 'working', colour: 'green' },
  failed: { mark: '✗', word: 'failed', colour: 'red' },
  completed: { mark: '✓', word: 'done', colour: 'green' },
  cancelled: { mark: '–', word: 'cancelled' },
}

/** An agent whose end was asked for is shown as stopping, whatever its state; one that ended badly says so. */
export type AgentLook = AgentState | 'stopping' | 'broken' | 'asking' | 'paused'

export const agentLooks: Record<AgentLook, Look> = {
  active: { mark: '●', word: 'active', colour: 'green' },
  idle: { mark: '○', word: 'idle' },
  offline: { mark: '◌', word: 'offline', colour: 'yellow' },
  asking: { mark: '?', word: 'waits for you', colour: 'magenta' },
  paused: { mark: '‖', word: 'paused', colour: 'magenta' },
  stopping: { mark: '◍', word: 'stopping', colour: 'yellow' },
  terminated: { mark: '·', word: 'ended', dim: true },
  broken: { mark: '✗', word: 'failed', colour: 'red' },
}

export const integrationLooks: Record<IntegrationState, Look> = {
  requested: { mark: '…', word: 'being merged', colour: 'cyan' },
  conflicted: { mark: '⚠', word: 'conflicts', colour: 'red' },
  verifying: { mark: '…', word: 'being verified', colour: 'cyan' },
  unverified: { mark: '✗', word: 'verification failed', colour: 'red' },
  ready: { mark: '⚑', word: 'approve?', colour: 'magenta' },
  approved: { mark: '✓', word: 'approved', colour: 'green' },
  moving: { mark: '→', word: 'moving', colour: 'green' },
  integrated: { mark: '✓', word: 'integrated', colour: 'green', dim: true },
  rejected: { mark: '–', word: 'rejected', dim: true },
}

/** What waits for a person, by what it is. */
export const attentionLooks: Record<AttentionKind, Look> = {
  configuration: { mark: '!', word: 'configuration', colour: 'red' },
  permission: { mark: '?', word: 'permission', colour: 'magenta' },
  question: { mark: '?', word: 'question', colour: 'magenta' },
  budget: { mark: '$', word: 'budget', colour: 'yellow' },
  command: { mark: '>', word: 'command', colour: 'magenta' },
  stalled: { mark: '◍', word: 'stalled', colour: 'yellow' },
  approve: { mark: '⚑', word: 'approve?', colour: 'magenta' },
  conflict: { mark: '⚠', word: 'conflict', colour: 'red' },
  unverified: { mark: '✗', word: 'unverified', colour: 'red' },
  failed: { mark: '✗', word: 'failed', colour: 'red' },
  denial: { mark: '–', word: 'not allowed', dim: true },
}

/** What makes a file of a review worth a look. */
export const riskLooks: Record<RiskKind, Look> = {
  secret: { mark: '!', word: 'secret', colour: 'red' },
  hook: { mark: '!', word: 'git', colour: 'red' },
  ci: { mark: '!', word: 'build server', colour: 'red' },
  instructions: { mark: '!', word: 'agent instructions', colour: 'red' },
  scripts: { mark: '!', word: 'package scripts', colour: 'red' },
  submodule: { mark: '!', word: 'submodule', colour: 'red' },
  symlink: { mark: '⚠', word: 'symbolic link', colour: 'yellow' },
  executable: { mark: '⚠', word: 'executable', colour: 'yellow' },
  hidden: { mark: '!', word: 'hidden text', colour: 'red' },
  elsewhere: { mark: '⚠', word: 'worked on elsewhere', colour: 'yellow' },
  configuration: { mark: '⚠', word: 'configuration', colour: 'yellow' },
  lockfile: { mark: '⚠', word: 'lockfile', colour: 'yellow' },
  binary: { mark: '⚠', word: 'binary', colour: 'yellow' },
  'large-file': { mark: '⚠', word: 'large', colour: 'yellow' },
  deletion: { mark: '⚠', word: 'deleted', colour: 'yellow' },
}

export const sessionLooks: Record<SessionState, Look> = {
  running: { mark: '●', word: 'running', colour: 'green' },
  completed: { mark: '✓', word: 'completed', dim: true },
  failed: { mark: '✗', word: 'failed', colour: 'red' },
  aborted: { mark: '–', word: 'aborted', dim: true },
}

/** Lines of the log: the levels of notes, and raw output, which has none. */
export type LogLook = 'debug' | 'info' | 'warn' | 'error' | 'output'

export const logLooks: Record<LogLook, Look> = {
  debug: { mark: '·', word: 'debug', dim: true },
  info: { mark: '·', word: 'info', colour: 'cyan' },
  warn: { mark: '!', word: 'warn', colour: 'yellow' },
  error: { mark: '✗', word: 'error', colour: 'red' },
  output: { mark: ' ', word: '' },
}

export type Tone = 'told' | 'done' | 'refused' | 'bug'

export const toneLooks: Record<Tone, Look> = {
  told: { mark: '·', word: 'note' },
  done: { mark: '✓', word: 'done', colour: 'green' },
  refused: { mark: '!', word: 'refused', colour: 'yellow' },
  bug: { mark: '✗', word: 'bug', colour: 'red' },
}
