import type { LogLine } from '../../../components/Log.tsx'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import type { SafeText } from '../../domain/words/safe-text.ts'
import type { Instant } from '../../domain/words/time.ts'
import { getAgentRuns } from '../../operations/agents/runs.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTask, getTaskLogs } from '../../operations/tasks/detail.ts'
import type { TaskLogView } from '../../operations/views/tasks.ts'
import { roomsIn } from '../core/layout.ts'
import { viewOf } from '../core/overlays.ts'
import { detailArrived, logArrived, runsArrived } from '../core/reducers.ts'
import type { ConsoleState, Transition } from '../core/state.ts'
import { throttled } from '../core/timers.ts'
import {
  leftOut,
  lineBetween,
  linesOfNote,
  type LogSubject,
  LONGEST,
  passedOver,
  printed,
  subjectOf,
  textsOf,
} from '../panes/log.ts'
import type { Reading } from './reading.ts'

// Reads what belongs to the selected row: its attempts and its log.

/** Milliseconds between two reads of the same data. */
const often = { detail: 100, output: 200 } as const

/** Reads the details of the selected row: its attempts and its log. */
export const startSelected = ({ connection, state, change, careful }: Reading) => {
  const { core, actor } = connection
  const feed = makeLogFeed(connection, state, change)
  const details = throttled(
    often.detail,
    careful(async () => {
      const { task, agent } = state().view
      const detail = task === null ? null : await perform(core, getTask, { taskId: task }, actor).catch(nothingIfGone)
      const runs =
        agent === null
          ? []
          : ((await perform(core, getAgentRuns, { agentId: agent }, actor).catch(nothingIfGone)) ?? [])
      const noted = await feed.notes()
      // One change, and so one frame.
      change((now) => noted(runsArrived(runs)(detailArrived(detail)(now))))
      output.ask()
    }),
  )
  // Where nothing runs, nothing prints: a process that is left alone need not wake for it.
  const output = throttled(
    often.output,
    careful(async () => {
      if (await feed.output()) output.ask()
    }),
  )
  return { ask: details.ask, output: output.ask, stop: () => [details, output].forEach(({ stop }) => stop()) }
}

const nothingIfGone = (error: unknown): null => {
  if (isRefusal(error) && error.code === 'not_found') return null
  throw error
}

/**
 * The most lines that are kept; the notes and the bytes of output that are read at first; the backlog above which the
 * rest is skipped; how long an agent without a process is not read (ms).
 */
const limits = { lines: 2000, notes: 500, tail: 64 * 1024, behind: 1024 * 1024, rest: 2000 } as const

/** Merges the notes of a task or an agent with the raw output of the agent's process, as they arrive. */
const makeLogFeed = (
  { core, actor, outside }: Connection,
  state: () => ConsoleState,
  change: (transition: Transition) => void,
) => {
  // In one piece because notes and output belong to one subject, which may change between any two of their steps.
  let subject: LogSubject = { taskId: null, agentId: null }
  let afterId = 0
  let offset: number | null = null
  let unfinished = new LineAssembler(LONGEST)
  let restsUntil = 0
  let noted = false
  let attempts = new Map<number, number>()
  const { begin, push, insert, flushed } = makePending(limits.lines)

  const separator = (note: TaskLogView): readonly SafeText[] => {
    const line = lineBetween(note, attempts)
    return line === '' ? [] : [line]
  }

  const look = (): LogSubject => {
    const wanted = subjectOf(state(), subject)
    const other = wanted.taskId !== subject.taskId || (wanted.taskId === null && wanted.agentId !== subject.agentId)
    if (other) {
      afterId = 0
      attempts = new Map()
      begin()
      noted = false
    }
    if (other || wanted.agentId !== subject.agentId) {
      offset = null
      unfinished = new LineAssembler(LONGEST)
      subject = wanted
    }
    return subject
  }
  return {
    /** Reads on; the result adds the new lines to the state. */
    notes: async (): Promise<Transition> => {
      const about = look()
      if (about.taskId === null && about.agentId === null) return flushed()
      const whose = about.taskId === null ? { agentId: about.agentId! } : { taskId: about.taskId }
      const rows = await perform(
        core,
        getTaskLogs,
        { ...whose, ...(afterId > 0 ? { afterId } : { last: limits.notes }) },
        actor,
      )
      if (look() !== about) return flushed()
      afterId = rows.at(-1)?.id ?? afterId
      noted = true
      push(rows.flatMap((note) => [...printed(separator(note)), ...linesOfNote(note)]))
      return flushed()
    },

    /** Reads on; true if more may arrive at any time. */
    output: async (): Promise<boolean> => {
      const about = look()
      // Notes first, because output has no times by which the two could be sorted.
      if (about.agentId === null || !noted || !isVisible(state())) return false
      const prints = mayPrint(state(), about.agentId)
      if (offset !== null && performance.now() < restsUntil) return prints
      const from = offset
      const piece = await outside.readOutput(about.agentId, from === null ? { tail: limits.tail } : { offset: from })
      if (look() !== about || offset !== from) return true
      offset = piece.size < piece.next ? 0 : piece.next
      if (piece.size - piece.next > limits.behind) {
        offset = piece.size - limits.tail
        unfinished.flush()
        push(printed([passedOver(offset - piece.next)]))
        change(flushed())
        return true
      }
      restsUntil = piece.text === '' && !prints ? performance.now() + limits.rest : 0
      // An incomplete line is held for one read, because its rest may be on its way.
      const whole = piece.text === '' ? unfinished.flush() : unfinished.add(piece.text)
      if (piece.text === '' && whole.length === 0) return prints
      // Where the end of a long output begins, it begins in the middle of a line.
      const cutOff = from === null && piece.next > limits.tail
      const texts = textsOf(whole.slice(cutOff ? 1 : 0).slice(-limits.lines + (cutOff ? 1 : 0)))
      const lines = printed([...(cutOff ? [leftOut(piece.next - limits.tail, about.agentId)] : []), ...texts])
      // Older output is where the logs of all agents have it: before the notes that came after it.
      if (from === null && piece.writtenAt !== undefined) insert(lines, piece.writtenAt)
      else push(lines)
      change(flushed())
      return true
    },
  }
}

const mayPrint = ({ board }: ConsoleState, agentId: string): boolean => {
  const agent = board.agents.find(({ id }) => id === agentId)
  return agent === undefined || agent.process === 'wanted' || agent.process === 'started'
}

/** True if it is visible in its pane, or in the front view. */
const isVisible = (state: ConsoleState): boolean => {
  const { overlay } = state.view
  const isInView = overlay !== null && viewOf(state, overlay).showsLog?.(overlay) === true
  return isInView || roomsIn(state).log !== undefined
}

type Line = Omit<LogLine, 'key'>

/** Lines that were read and are not in the state yet; at most so many are kept. */
const makePending = (most: number) => {
  let next = 0
  let pending: readonly LogLine[] = []
  let older: { readonly lines: readonly LogLine[]; readonly at: Instant } | undefined
  let reset = false
  const numbered = (lines: readonly Line[]): readonly LogLine[] => lines.map((line) => ({ ...line, key: next++ }))
  return {
    begin: (): void => {
      pending = []
      older = undefined
      reset = true
    },
    push: (lines: readonly Line[]): void => {
      // A piece may hold more lines than a call takes arguments.
      pending = [...pending, ...numbered(lines)].slice(-most)
    },
    /** Output that was written until then: before the notes that came later. */
    insert: (lines: readonly Line[], at: Instant): void => {
      older = { lines: numbered(lines), at }
    },
    flushed: (): Transition => {
      if (pending.length === 0 && !reset && older === undefined) return (state) => state
      const [added, inserted, anew] = [pending, older, reset]
      pending = []
      older = undefined
      reset = false
      return (state) => {
        const log = [...(anew ? [] : state.log), ...added]
        const later = inserted === undefined ? -1 : log.findIndex(({ at }) => at !== undefined && at > inserted.at)
        const place = later === -1 ? log.length : later
        const all = [...log.slice(0, place), ...(inserted?.lines ?? []), ...log.slice(place)].slice(-most)
        return logArrived(all, added.length + (inserted?.lines.length ?? 0))(state)
      }
    },
  }
}
