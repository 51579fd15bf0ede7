import type { SafeText } from '../../../domain/words/safe-text.ts'
import type { LogLook } from '../../../../components/base/look.ts'

// The merged logs of all agents: notes and processes' output, by time.

/** One line. `seq` increases with every line. */
export interface LogEntry {
  readonly seq: number
  /**
   * Clock time. Output has none of its own: it gets the time at which it was read, or, with ~, that of its file's last
   * write.
   */
  readonly time: SafeText
  readonly agent: SafeText
  readonly look: LogLook
  /** True for an error, or output that looks like one. */
  readonly trouble: boolean
  readonly text: SafeText
}

export interface LogContents {
  readonly entries: readonly LogEntry[]
  /** The number of dropped lines. */
  readonly dropped: number
}

/** The minimum level. Output counts as information unless it looks like an error. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogsOverlay {
  readonly kind: 'logs'
  /** The line at the top, and the number of its rows above the edge; null while the end is followed. */
  readonly place: { readonly seq: number; readonly piece: number } | null
  readonly level: LogLevel
  readonly wrap: boolean
  readonly sought: string
  /** The last search result. */
  readonly found: number | null
}

export interface LogSearchOverlay {
  readonly kind: 'log-search'
  readonly text: string
}

export const emptyLogs: LogContents = { entries: [], dropped: 0 }

export const followingLogs: LogsOverlay = {
  kind: 'logs',
  place: null,
  level: 'debug',
  wrap: false,
  sought: '',
  found: null,
}
