import { addReading, emptyReport, type Report, Trail, type usageOf } from '../../agents/reading/report.ts'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Reading } from '../../agents/reading/reading.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import type { Instant } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { readRun } from '../../operations/runs/reports.ts'
import { readOutput, writtenAt } from '../processes/output.ts'
import { outputPath, scratchPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { SessionLedger } from '../session-files/ledger.ts'
import { Waiting } from './waiting-run.ts'
import type { World } from '../world.ts'

type Usage = Parameters<typeof usageOf>[1]

/** The position up to which a run's output was read, and the report so far. */
export interface Reader {
  offset: number
  lines: LineAssembler
  /** When the output was last written to. */
  writtenAt: Instant
  report: Report
  trail: Trail
  earlier: Usage
  /** The model that it was started with; null if the CLI chose it. */
  model: string | null
  waiting: Waiting
  /** The number of characters printed. */
  printed: number
  ledger: SessionLedger
  /** The last recorded state, so that nothing is written without a change. */
  recorded: string
}

/** A longer line is not a message of a CLI (characters). */
const LONGEST_LINE = 4 * 1024 * 1024

export const begin = async ({ core, actor }: World, run: AgentRun): Promise<Reader> => {
  const { outputOffset, model, earlier, inherited } = await perform(
    core,
    readRun,
    { agentId: run.agentId, run: run.run },
    actor,
  )
  return {
    offset: outputOffset,
    lines: new LineAssembler(LONGEST_LINE),
    writtenAt: core.clock(),
    report: emptyReport,
    trail: new Trail(),
    waiting: new Waiting(),
    earlier: { ...earlier, inherited },
    model,
    printed: 0,
    ledger: new SessionLedger(),
    recorded: '',
  }
}

export const take = (reader: Reader, reading: Reading): void => {
  reader.report = addReading(reader.report, reading)
  reader.trail.add(reading)
}

/** Reads the output from the position of the reader to its end, and the CLI's own ledger. */
export const readNew = async (world: World, run: AgentRun, kind: AgentKind, reader: Reader): Promise<void> => {
  const path = outputPath(world.core.root, run.agentId)
  for (;;) {
    // Lines have no time of their own; a limit that ends "in 2 hours" was reported no later than this.
    reader.writtenAt = await writtenAt(path)
    const { text, next, size } = await readOutput(path, { offset: reader.offset })
    reader.printed += text.length
    for (const line of reader.lines.add(text)) {
      const readings = kind.read?.(line, reader.writtenAt) ?? []
      reader.waiting.line(readings)
      for (const reading of readings) take(reader, reading)
    }
    const stuck = next <= reader.offset
    reader.offset = next
    if (stuck || next >= size) break
  }
  const { session } = reader.report
  // The location follows the person's variables, as it does for the CLI itself.
  if (kind.ledger && session !== null)
    for (const reading of await reader.ledger.read(kind.ledger, session, { ...process.env, ...run.environment }))
      take(reader, reading)
}

export const afterwards = ({ core }: World, run: AgentRun, kind: AgentKind) => {
  if (!kind.afterwards) return []
  try {
    // The folder is the CLI's, which could put anything there. A run that was killed has written no file.
    const text = readRegular(kind.afterwards.path(scratchPath(core.root, run)))
    return text === undefined ? [] : kind.afterwards.read(text)
  } catch {
    return []
  }
}
