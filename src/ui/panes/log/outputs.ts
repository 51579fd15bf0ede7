import { LineAssembler } from '../../../domain/words/output-lines.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, safeLines, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { Instant } from '../../../domain/words/time.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import type { AgentView } from '../../../operations/views/agents.ts'
import { logText } from '../../../text/history.ts'

/**
 * Bytes of each file that are read at first; the backlog above which the rest is skipped; files that are read at once.
 */
const TAIL = 16 * 1024
const BEHIND = 1024 * 1024
const AT_ONCE = 8

/** The line in place of skipped bytes. */
export const passedOver = (count: number): SafeText => ours(logText.tooFast(bytes(count)))

/** The line before the end of a long output, because earlier output was not read. */
export const leftOut = (count: number, agent: string): SafeText =>
  ours(logText.onlyTheEnd(bytes(count), safeText(agent)))

interface Reader {
  offset: number | null
  readonly unfinished: LineAssembler
  /** True if the agent has ended and all of its output was read. */
  done: boolean
}

export interface OutputLine {
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
  return async (agents) => {
    const all: (readonly OutputLine[])[] = []
    for (let at = 0; at < agents.length; at += AT_ONCE)
      all.push(...(await Promise.all(agents.slice(at, at + AT_ONCE).map(read))))
    return all.flat()
  }
}
