import { ours, safeLines, type SafeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import type { LogLine } from '../../../../components/Log.tsx'
import { logText } from '../../../text/history.ts'

// The lines of the log for notes and for output.

/** The most characters of a line. */
export const LONGEST = 16 * 1024

export const printed = (texts: readonly SafeText[]): Omit<LogLine, 'key'>[] =>
  texts.map((text) => ({ time: ours(''), look: 'output', text }))

export const textsOf = (lines: readonly string[]): readonly SafeText[] =>
  lines.flatMap((line) => safeLines(shortened(line)))

/** The readable beginning of a line, from its last carriage return on, because an agent may print megabytes without a line break. */
const shortened = (line: string): string => {
  if (line.length <= LONGEST) return line
  const begin = line.replace(/\r+$/, '').lastIndexOf('\r') + 1
  return line.slice(begin, begin + LONGEST)
}

/** The line between two attempts of a task; empty within one. `known` has the last attempt of each task. */
export const lineBetween = ({ taskId, attempt }: TaskLogView, known: Map<number, number>): SafeText => {
  const before = known.get(taskId)
  if (attempt !== null) known.set(taskId, attempt)
  return ours(before === undefined || attempt === null || attempt === before ? '' : logText.attempt(taskId, attempt))
}

export const linesOfNote = (note: TaskLogView): Omit<LogLine, 'key'>[] =>
  safeLines(note.percent === null ? note.message : `${note.message} (${note.percent}%)`).map((text, index) => ({
    time: ours(index === 0 ? clockTime(note.loggedAt) : ''),
    look: note.level,
    text,
    at: note.loggedAt,
  }))
