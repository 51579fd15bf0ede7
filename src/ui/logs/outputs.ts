import { bytes } from '../../domain/bytes.ts'
import { ours, safeLines, safeText, type SafeText } from '../../domain/safe-text.ts'
import type { Instant } from '../../domain/time.ts'
import type { Connection } from '../../operations/kernel/outside.ts'
import type { AgentView } from '../../operations/kernel/views.ts'
import { logText } from '../../text/logs.ts'

/** Bytes of each file that are read at first; how far one may fall behind before what lies between is passed over; files that are read at once. */
const TAIL = 16 * 1024
const BEHIND = 1024 * 1024
const AT_ONCE = 8

/** Stands where so many bytes were not read. */
export const passedOver = (count: number): SafeText => ours(logText.tooFast(bytes(count)))

/** Stands where the end of a long output begins: what is not read is not to pass for what was never printed. */
export const leftOut = (count: number, agent: string): SafeText => ours(logText.onlyTheEnd(bytes(count), safeText(agent)))

interface Reader {
  offset: number | null
  /** A line that has no end yet. */
  unfinished: string
  /** The agent has ended and all that it printed was read. */
  done: boolean
}

export interface OutputLine {
  readonly agent: string
  /** Null for now. */
  readonly at: Instant | null
  /** When it was printed is not known, only when its file was last written to. */
  readonly approximate: boolean
  readonly text: SafeText
}

/** Reads what the processes of agents have printed since the look before; however large their files are, only their ends. */
export const readTails = (outside: Connection['outside']): ((agents: readonly AgentView[]) => Promise<readonly OutputLine[]>) => {
  const readers = new Map<string, Reader>()
  const read = async (agent: AgentView): Promise<readonly OutputLine[]> => {
    const reader = readers.get(agent.id) ?? { offset: null, unfinished: '', done: false }
    readers.set(agent.id, reader)
    if (reader.done) return []
    const first = reader.offset === null
    const piece = await outside.readOutput(agent.id, reader.offset === null ? { tail: TAIL } : { offset: reader.offset })
    const lines: OutputLine[] = []
    const line = (text: SafeText): void => void lines.push({ agent: agent.id, at: first ? (piece.writtenAt ?? null) : null, approximate: first, text })
    if (piece.size - piece.next > BEHIND) {
      const next = piece.size - TAIL
      line(passedOver(next - piece.next))
      reader.offset = next
      reader.unfinished = ''
      return lines
    }
    reader.offset = piece.size < piece.next ? 0 : piece.next
    const whole = reader.unfinished + piece.text
    const over = agent.status === 'terminated' && piece.text === ''
    if (whole === '') {
      reader.done = over
      return lines
    }
    const rows = whole.split('\n')
    // A line without its end is held back for one look, in case the rest of it is on its way.
    reader.unfinished = piece.text === '' ? '' : rows.pop()!.slice(-TAIL)
    // Where the end of a long file begins, it begins in the middle of a line.
    if (first && piece.next > TAIL) {
      rows.shift()
      line(leftOut(piece.next - TAIL, agent.id))
    }
    if (rows.at(-1) === '') rows.pop()
    for (const row of rows) for (const text of safeLines(row)) line(text)
    return lines
  }
  return async (agents) => {
    const all: (readonly OutputLine[])[] = []
    for (let at = 0; at < agents.length; at += AT_ONCE) all.push(...(await Promise.all(agents.slice(at, at + AT_ONCE).map(read))))
    return all.flat()
  }
}
