import { ours, safeLines } from '../domain/safe-text.ts'
import { clockTime } from '../domain/time.ts'
import { getTaskLogs } from '../operations/get-task-logs.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { TaskLogView } from '../operations/kernel/task-log-view.ts'
import type { LogLine } from '../../components/Log.tsx'
import { logArrived } from './arrivals.ts'
import { leftOut, passedOver } from './logs/outputs.ts'
import { layoutOf } from './layout.ts'
import { selectedTask } from './selection.ts'
import type { ConsoleState, Transition } from './state.ts'

/**
 * Lines that are kept, and characters of each; notes that are read at first, bytes of output that are read at first, and how far
 * one may fall behind before what lies between is passed over; how long an agent without a process is left alone (ms).
 */
const limits = { lines: 2000, line: 16 * 1024, notes: 500, tail: 64 * 1024, behind: 1024 * 1024, rest: 2000 } as const

export interface LogSubject {
  readonly taskId: number | null
  readonly agentId: string | null
}

/** What the log is about: the selected task and who works on it, or the selected agent. A worktree leaves it as it is. */
export const subjectOf = (state: ConsoleState, before: LogSubject): LogSubject => {
  const { about, agent, task } = state.view
  if (about === 'agents') return { taskId: null, agentId: agent }
  if (about === 'worktrees' && (before.taskId !== null || before.agentId !== null)) return before
  const attempts = state.detail?.id === task ? state.detail?.attempts : undefined
  return { taskId: task, agentId: selectedTask(state)?.assignedAgentId ?? attempts?.at(-1)?.agentId ?? null }
}

/** Merges the notes of a task or an agent with the raw output of the agent's process, as they come in. */
export const makeLogFeed = ({ core, actor, outside }: Connection, state: () => ConsoleState, change: (transition: Transition) => void) => {
  let subject: LogSubject = { taskId: null, agentId: null }
  let afterId = 0
  let offset: number | null = null
  let unfinished = ''
  let restsUntil = 0
  let next = 0
  let pending: LogLine[] = []
  let reset = false
  let noted = false

  const look = (): LogSubject => {
    const wanted = subjectOf(state(), subject)
    const other = wanted.taskId !== subject.taskId || (wanted.taskId === null && wanted.agentId !== subject.agentId)
    if (other) {
      afterId = 0
      pending = []
      reset = true
      noted = false
    }
    if (other || wanted.agentId !== subject.agentId) {
      offset = null
      unfinished = ''
      subject = wanted
    }
    return subject
  }
  const push = (lines: readonly Omit<LogLine, 'key'>[]): void => {
    // A piece may hold more lines than a call takes arguments.
    pending = [...pending, ...lines.map((line) => ({ ...line, key: next++ }))].slice(-limits.lines)
  }
  const flushed = (): Transition => {
    if (pending.length === 0 && !reset) return (state) => state
    const added = pending
    const anew = reset
    pending = []
    reset = false
    return (state) => logArrived([...(anew ? [] : state.log), ...added].slice(-limits.lines), added.length)(state)
  }

  return {
    /** Reads on; what it gives brings the lines that were read into the state. */
    notes: async (): Promise<Transition> => {
      const about = look()
      if (about.taskId === null && about.agentId === null) return flushed()
      const whose = about.taskId === null ? { agentId: about.agentId! } : { taskId: about.taskId }
      const rows = await perform(core, getTaskLogs, { ...whose, ...(afterId > 0 ? { afterId } : { last: limits.notes }) }, actor)
      if (look() !== about) return flushed()
      afterId = rows.at(-1)?.id ?? afterId
      noted = true
      push(rows.flatMap(linesOfNote))
      return flushed()
    },

    /** Reads on; true where more may come at any time. */
    output: async (): Promise<boolean> => {
      const about = look()
      // Notes first: output has no times by which the two could be sorted.
      if (about.agentId === null || !noted || !isVisible(state())) return false
      const prints = mayPrint(state(), about.agentId)
      if (offset !== null && performance.now() < restsUntil) return prints
      const from = offset
      const piece = await outside.readOutput(about.agentId, from === null ? { tail: limits.tail } : { offset: from })
      if (look() !== about || offset !== from) return true
      offset = piece.size < piece.next ? 0 : piece.next
      if (piece.size - piece.next > limits.behind) {
        offset = piece.size - limits.tail
        unfinished = ''
        push([{ time: ours(''), look: 'output', text: passedOver(offset - piece.next) }])
        change(flushed())
        return true
      }
      restsUntil = piece.text === '' && !prints ? performance.now() + limits.rest : 0
      if (piece.text === '' && unfinished === '') return prints
      const read = (unfinished + piece.text).split('\n')
      // A line without its end is held back for one look, in case the rest of it is on its way.
      unfinished = piece.text === '' ? '' : read.at(-1)!.slice(-limits.line)
      const whole = piece.text === '' ? read : read.slice(0, -1)
      // Where the end of a long output begins, it begins in the middle of a line.
      const cutOff = from === null && piece.next > limits.tail ? 1 : 0
      const lines = whole.slice(cutOff).slice(-limits.lines + cutOff)
      const texts = lines.flatMap((line) => safeLines(shortened(line)))
      push([...(cutOff === 1 ? [leftOut(piece.next - limits.tail, about.agentId)] : []), ...texts].map((text) => ({ time: ours(''), look: 'output' as const, text })))
      change(flushed())
      return true
    },
  }
}

/** As much of a line as anybody reads, from where a carriage return began it anew: an agent may print megabytes without an end. */
const shortened = (line: string): string => {
  if (line.length <= limits.line) return line
  const begin = line.replace(/\r+$/, '').lastIndexOf('\r') + 1
  return line.slice(begin, begin + limits.line)
}

const linesOfNote = (note: TaskLogView): Omit<LogLine, 'key'>[] =>
  safeLines(note.percent === null ? note.message : `${note.message} (${note.percent}%)`).map((text, index) => ({
    time: ours(index === 0 ? clockTime(note.loggedAt) : ''),
    look: note.level,
    text,
  }))

const mayPrint = ({ board }: ConsoleState, agentId: string): boolean => {
  const agent = board.agents.find(({ id }) => id === agentId)
  return agent === undefined || agent.process === 'wanted' || agent.process === 'started'
}

/** In its pane, or among the sections of a task. */
const isVisible = ({ view, comfort }: ConsoleState): boolean =>
  (view.overlay?.kind === 'detail' && view.overlay.of === 'board' && view.overlay.folds?.['logs'] === true) ||
  layoutOf(view.size.columns, view.size.rows, view.pane, 0, comfort.arrangement).rooms.log !== undefined
