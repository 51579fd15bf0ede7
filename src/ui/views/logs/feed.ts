import type { StoreApi } from 'zustand/vanilla'
import { ours, safeLines, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { looksLikeError } from '../../../domain/words/output-lines.ts'
import { clockTime, type Instant } from '../../../domain/words/time.ts'
import { getTaskLogs } from '../../../operations/tasks/detail.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { ENDED_AGENTS } from '../../../operations/screens/board.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { perform } from '../../../operations/perform/perform.ts'
import type { AgentView } from '../../../operations/views/agents.ts'
import type { LogLook } from '../../../../components/base/look.ts'
import { repeat } from '../../core/timers.ts'
import type { ConsoleState } from '../../core/state.ts'
import { lineBetween, readTails } from '../../panes/log.ts'
import { appended, emptyLogs, limits, type LogEntry, logsIn } from './lines.ts'
import { logText } from '../../../text/history.ts'

/** Milliseconds between two reads, and the most notes of one read. */
const OFTEN = 500
const NOTES = 2000

/** A new line, with the time for sorting; null puts it before all others. */
interface Arrival {
  readonly at: Instant | null
  readonly approximate: boolean
  readonly agent: string
  readonly look: LogLook
  readonly text: SafeText
}

/**
 * Reads the notes of all agents and their processes' output while the logs are open. Returns a function that stops it.
 */
export const startLogsFeed = (
  connection: Connection,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  const { core, actor } = connection
  let seq = 0
  let opening = 0
  let afterId = 0
  let begun = false
  let attempts = new Map<number, number>()
  let tails = readTails(connection.outside)
  const begin = (): void => {
    opening++
    afterId = 0
    begun = false
    attempts = new Map()
    tails = readTails(connection.outside)
  }
  const look = careful(async () => {
    if (!logsIn(store.getState())) return
    const own = opening
    const rows = await perform(core, getTaskLogs, { last: NOTES, ...(afterId > 0 ? { afterId } : {}) }, actor)
    const { agents } = store.getState().board
    const outputs = (await tails(agents)).map(({ agent, at, approximate, text }): Arrival => ({
      agent,
      at: at ?? core.clock(),
      approximate,
      look: 'output',
      text,
    }))
    // Closed and opened again meanwhile: what was read belongs to the one before.
    if (own !== opening || !logsIn(store.getState())) return
    afterId = rows.at(-1)?.id ?? afterId
    const missing = begun ? [] : missingFrom(rows.length, agents)
    begun = true
    const arrived = [...missing, ...rows.flatMap((note) => arrivalsOf(note, attempts)), ...outputs].sort(byTime)
    if (arrived.length === 0) return
    const entries = arrived.slice(-limits.lines).map((arrival) => entryOf(arrival, seq++))
    store.setState((state) => ({ ...state, logs: appended(state.logs, entries) }), true)
  })
  let running: Promise<boolean> | undefined
  const once = (): Promise<boolean> => (running ??= look().finally(() => (running = undefined)))
  let rest = (): void => {}
  const end = store.subscribe((state, before) => {
    if (state.view.overlay === before.view.overlay) return
    const [is, was] = [logsIn(state) !== undefined, logsIn(before) !== undefined]
    if (is === was) return
    rest()
    begin()
    if (is) rest = repeat(OFTEN, once)
    else store.setState((now) => ({ ...now, logs: emptyLogs }), true)
  })
  return () => {
    end()
    rest()
  }
}

/** The lines of a note, after a line where another attempt of its task begins. */
const arrivalsOf = (note: TaskLogView, attempts: Map<number, number>): readonly Arrival[] => {
  const between = lineBetween(note, attempts)
  const lines = safeLines(note.percent === null ? note.message : `${note.message} (${note.percent}%)`)
  const arrival = (look: LogLook, text: SafeText): Arrival => ({
    at: note.loggedAt,
    approximate: false,
    agent: note.agentId,
    look,
    text,
  })
  return [...(between === '' ? [] : [arrival('output', between)]), ...lines.map((text) => arrival(note.level, text))]
}

const byTime = (a: Arrival, b: Arrival): number => {
  const [one, other] = [a.at ?? '', b.at ?? '']
  return one < other ? -1 : one > other ? 1 : 0
}

/** Missing lines are reported first, so that the first line does not look like the beginning. */
const missingFrom = (notes: number, agents: readonly AgentView[]): readonly Arrival[] =>
  [
    ...(notes < NOTES ? [] : [logText.onlyTheNotes(NOTES)]),
    ...(agents.filter(({ status }) => status === 'terminated').length < ENDED_AGENTS
      ? []
      : [logText.onlyTheAgents(ENDED_AGENTS)]),
  ].map((words): Arrival => ({ at: null, approximate: false, agent: '', look: 'output', text: ours(words) }))

const entryOf = ({ at, approximate, agent, look, text }: Arrival, seq: number): LogEntry => {
  const shown = plain(text)
  return {
    seq,
    time: ours(at === null ? '' : `${approximate ? '~' : ''}${clockTime(at)}`),
    agent: safeText(agent),
    look,
    trouble: look === 'error' || (look === 'output' && looksLikeError(shown)),
    text: shown,
  }
}

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const colours = /\u001b\[[0-9;:]*m/g

// Colours would be split where a line is wrapped or highlighted; a character may be split here.
const plain = (line: SafeText): SafeText => line.replace(colours, '').slice(0, limits.line).toWellFormed() as SafeText
