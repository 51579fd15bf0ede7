import type { LogLine } from '../../../components/Log.tsx'
import { bytes } from '../../domain/words/counts.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import { ours, safeLines, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { clockTime, type Instant } from '../../domain/words/time.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskLogView } from '../../operations/views/tasks.ts'
import { logText } from '../../text/history.ts'
import { paneText } from '../../text/panes.ts'
import { selectedTask } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'

// The log: its subject, its lines, and the output of agents' processes.

export interface LogSubject {
  readonly taskId: number | null
  readonly agentId: string | null
}

/** The subject of the log: the selected task and its agent, or the selected agent. A worktree does not change it. */
export const subjectOf = (state: ConsoleState, before: LogSubject): LogSubject => {
  const { about, agent, task } = state.view
  if (about === 'agents') return { taskId: null, agentId: agent }
  if (about === 'worktrees' && (before.taskId !== null || before.agentId !== null)) return before
  const attempts = state.detail?.id === task ? state.detail?.attempts : undefined
  return { taskId: task, agentId: selectedTask(state)?.assignedAgentId ?? attempts?.at(-1)?.agentId ?? null }
}

const nobody = { taskId: null, agentId: null }

/** The subject of the log: a task, an agent, or both. */
export const logSubject = (state: ConsoleState): SafeText => {
  const { taskId, agentId } = subjectOf(state, nobody)
  return safeText(
    [taskId === null ? '' : paneText.taskOf(taskId), agentId ?? ''].filter((part) => part !== '').join(' '),
  )
}

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

/** The line in place of skipped bytes. */
export const passedOver = (count: number): SafeText => ours(logText.tooFast(bytes(count)))

/** The line before the end of a long output, because earlier output was not read. */
export const leftOut = (count: number, agent: string): SafeText =>
  ours(logText.onlyTheEnd(bytes(count), safeText(agent)))

// New output of agents' processes.

/**
 * Bytes of each file that are read at first; the backlog above which the rest is skipped; files that are read at once.
 */
const TAIL = 16 * 1024
const BEHIND = 1024 * 1024
const AT_ONCE = 8

interface Reader {
  offset: number | null
  readonly unfinished: LineAssembler
  /** True if the agent has ended and all of its output was read. */
  done: boolean
}

interface OutputLine {
  readonly agent: string
  /** Null for now. */
  readonly at: Instant | null
  /** True if the time is only that of the file's last write. */
  readonly approximate: boolean
  readonly text: SafeText
}

/** Reads new output of agents' processes; of large files only the end. */
export const readTails = (
  outside: Connection['outside'],
): ((agents: readonly AgentView[]) => Promise<readonly OutputLine[]>) => {
  const readers = new Map<string, Reader>()
  const read = async (agent: AgentView): Promise<readonly OutputLine[]> => {
    const reader = readers.get(agent.id) ?? { offset: null, unfinished: new LineAssembler(TAIL), done: false }
    readers.set(agent.id, reader)
    if (reader.done) return []
    const first = reader.offset === null
    const piece = await outside.readOutput(
      agent.id,
      reader.offset === null ? { tail: TAIL } : { offset: reader.offset },
    )
    const lines: OutputLine[] = []
    const line = (text: SafeText): void =>
      void lines.push({ agent: agent.id, at: first ? (piece.writtenAt ?? null) : null, approximate: first, text })
    if (piece.size - piece.next > BEHIND) {
      const next = piece.size - TAIL
      line(passedOver(next - piece.next))
      reader.offset = next
      reader.unfinished.flush()
      return lines
    }
    reader.offset = piece.size < piece.next ? 0 : piece.next
    // An incomplete line is held for one read, because its rest may be on its way.
    const rows = piece.text === '' ? reader.unfinished.flush() : reader.unfinished.add(piece.text)
    if (piece.text === '' && rows.length === 0) {
      reader.done = agent.status === 'terminated'
      return lines
    }
    // The end of a long file begins in the middle of a line.
    if (first && piece.next > TAIL) {
      rows.shift()
      line(leftOut(piece.next - TAIL, agent.id))
    }
    if (rows.at(-1) === '') rows.pop()
    for (const row of rows) for (const text of safeLines(row)) line(text)
    return lines
  }
  /** The lines of the others are not lost with an agent that cannot be read: they are part of the next answer. */
  let kept: OutputLine[] = []
  return async (agents) => {
    for (let at = 0; at < agents.length; at += AT_ONCE) {
      const outputs = await Promise.allSettled(agents.slice(at, at + AT_ONCE).map(read))
      kept = kept.concat(...outputs.map((one) => (one.status === 'fulfilled' ? one.value : [])))
      const failed = outputs.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
    }
    const all = kept
    kept = []
    return all
  }
}
