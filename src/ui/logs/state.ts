import type { SafeText } from '../../domain/safe-text.ts'
import type { LogLook } from '../../../components/look.ts'

// The logs of all agents in one: notes and what their processes print, by time.

/** A line of it. `seq` grows with every line. */
export interface LogEntry {
  readonly seq: number
  /** Clock time. Output has none of its own: it bears the time at which it was seen, or, with ~, that at which its file was last written to. */
  readonly time: SafeText
  readonly agent: SafeText
  readonly look: LogLook
  /** An error, or output that sounds like one. */
  readonly trouble: boolean
  readonly text: SafeText
}

export interface LogContents {
  readonly entries: readonly LogEntry[]
  /** Lines that were let go, for there is room for so many only. */
  readonly dropped: number
}

/** What is shown: everything, or only what is at least as bad. Output counts as information unless it sounds like trouble. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogsOverlay {
  readonly kind: 'logs'
  /** The line at the top, and how many of its rows stand above; null while the end is followed. */
  readonly place: { readonly seq: number; readonly piece: number } | null
  readonly level: LogLevel
  readonly wrap: boolean
  readonly sought: string
  /** The line that was found last. */
  readonly found: number | null
}

export interface LogSearchOverlay {
  readonly kind: 'log-search'
  readonly text: string
}

export const emptyLogs: LogContents = { entries: [], dropped: 0 }

export const followingLogs: LogsOverlay = { kind: 'logs', place: null, level: 'debug', wrap: false, sought: '', found: null }
