import { readFileSync, statSync } from 'node:fs'
import { addReading, emptyReport, type Report, usageOf } from '../../agents/reading/report.ts'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Reading } from '../../agents/reading/reading.ts'
import { Trail } from '../../agents/reading/trail.ts'
import { windowOf } from '../../agents/reading/windows.ts'
import { type ContextUse, estimatedTokens } from '../../domain/agent/context-health.ts'
import { NO_SESSION } from '../../domain/agent/resume.ts'
import { LineAssembler } from '../../domain/words/line-assembler.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { elapsed, type Instant } from '../../domain/words/time.ts'
import type { RunReport } from '../../operations/loops/run-report.ts'
import { perform } from '../../operations/door/perform.ts'
import type { AgentRun } from '../../operations/loops/read-wishes.ts'
import { readRun } from '../../operations/loops/read-run.ts'
import { recordOutput } from '../../operations/loops/record-output.ts'
import { recordRunReport } from '../../operations/loops/record-run-report.ts'
import { boundLog } from '../files/bounded-log.ts'
import { outputOffsetOf } from './launcher.ts'
import { grownAt, readOutput, writtenAt } from '../logs/output.ts'
import { outputPath, runPath } from '../files/places.ts'
import { SessionLedger } from '../session-files/ledger.ts'
import { stopAtLimit, Waiting } from './waiting-run.ts'
import type { Finished, World } from '../world.ts'

/** The position up to which a run's output was read, and the report so far. */
interface Reader {
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

type Usage = Parameters<typeof usageOf>[1]

/** A longer line is not a message of a CLI (characters). */
const LONGEST_LINE = 4 * 1024 * 1024

/** Reads the output of this process's agents incrementally. */
export class RunReports {
  readonly #readers = new Map<string, Reader>()
  readonly #turns = new Map<string, Promise<unknown>>()
  /** By agent and run, the time of the last recorded output. */
  readonly #printed = new Map<string, Instant>()

  /** Reads new output and records it if the report has changed. */
  async follow(world: World, run: AgentRun): Promise<void> {
    const kind = world.kinds.get(run.kind)
    if (!kind) return
    await this.#inTurn(run, async () => {
      await (kind.exitDecides ? this.#recordOutput(world, run) : this.#record(world, run, kind))
      this.#bound(world, run)
    })
  }

  /** Shortens an output that is too long; it was just read to its end, and is read on from its new end. */
  #bound({ core }: World, run: AgentRun): void {
    const path = outputPath(core.root, run.agentId)
    if (!boundLog(path, { from: outputOffsetOf(core.root, run), most: core.settings.session.logLimit })) return
    const reader = this.#readers.get(keyOf(run))
    if (reader) reader.offset = statSync(path).size
  }

  /** Records output often enough that a printing run never counts as stalled, but not each line. */
  async #recordOutput({ core, actor }: World, run: AgentRun): Promise<void> {
    const writtenAt = await grownAt(outputPath(core.root, run.agentId))
    const before = this.#printed.get(keyOf(run))
    if (run.taskId === null || writtenAt === null || (before !== undefined && elapsed(before, writtenAt) < core.settings.lease.stalledAfter / 10)) return
    await perform(core, recordOutput, { taskId: run.taskId, agentId: run.agentId, writtenAt }, actor)
    this.#printed.set(keyOf(run), writtenAt)
  }

  async #record(world: World, run: AgentRun, kind: AgentKind): Promise<void> {
    const reader = await this.#readOn(world, run, kind)
    const silent = reader.waiting.silence(reader.writtenAt, world.core.clock(), world.core.settings.lease.stalledAfter)
    const report = recordOf(world, run, reader)
    const said = { ...(kind.read ? { report: { ...report, problem: [report.problem, silent].filter((part) => part !== null).join('; ') || null } } : {}), use: useOf(run, reader) }
    const text = JSON.stringify(said)
    if (text !== reader.recorded) {
      await perform(world.core, recordRunReport, { agentId: run.agentId, run: run.run, ...said }, world.actor)
      reader.recorded = text
    }
    await stopAtLimit(world, run, reader.waiting, reader.report)
  }

  /** The complete report of an ended run; undefined for kinds with plain-text output. */
  async finish(world: World, run: AgentRun): Promise<Finished | undefined> {
    const kind = world.kinds.get(run.kind)
    this.#printed.delete(keyOf(run))
    if (!kind?.read) {
      this.#bound(world, run)
      this.#readers.delete(keyOf(run))
      return undefined
    }
    return this.#inTurn(run, () => this.#end(world, run, kind))
  }

  async #end(world: World, run: AgentRun, kind: AgentKind): Promise<Finished> {
    const reader = await this.#readOn(world, run, kind)
    // The last line may lack its line break.
    for (const reading of [...reader.lines.flush().flatMap((line) => kind.read!(line, reader.writtenAt)), ...afterwards(world, run, kind)]) take(reader, reading)
    this.#bound(world, run)
    this.#readers.delete(keyOf(run))
    if (reader.report.limited === null && reader.waiting.stoppedFor !== null) reader.report = { ...reader.report, limited: reader.waiting.stoppedFor }
    return { report: reader.report, record: recordOf(world, run, reader), use: useOf(run, reader), trail: reader.trail }
  }

  /** Serialises reads of a run's output, because a run may end while it is being followed. */
  async #inTurn<T>(run: AgentRun, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(keyOf(run)) ?? Promise.resolve()).catch(() => {}).then(work)
    this.#turns.set(keyOf(run), turn)
    return turn.finally(() => {
      if (this.#turns.get(keyOf(run)) === turn) this.#turns.delete(keyOf(run))
    })
  }

  async #readOn(world: World, run: AgentRun, kind: AgentKind): Promise<Reader> {
    const reader = this.#readers.get(keyOf(run)) ?? (await begin(world, run))
    this.#readers.set(keyOf(run), reader)
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
    if (kind.ledger && session !== null) for (const reading of await reader.ledger.read(kind.ledger, session, { ...process.env, ...run.environment })) take(reader, reading)
    return reader
  }
}

const take = (reader: Reader, reading: Reading): void => {
  reader.report = addReading(reader.report, reading)
  reader.trail.add(reading)
}

const keyOf = (run: AgentRun): string => `${run.agentId}.${run.run}`

const begin = async ({ core, actor }: World, run: AgentRun): Promise<Reader> => {
  const { outputOffset, model, earlier } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  return {
    offset: outputOffset,
    lines: new LineAssembler(LONGEST_LINE),
    writtenAt: core.clock(),
    report: emptyReport,
    trail: new Trail(),
    waiting: new Waiting(),
    earlier,
    model,
    printed: 0,
    ledger: new SessionLedger(),
    recorded: '',
  }
}

const recordOf = ({ core }: World, run: AgentRun, { report, earlier }: Reader): RunReport => {
  const usage = usageOf(report, earlier)
  const token = core.launchToken(run.agentId, run.run)
  const short = (text: string | null, length: number): string | null => (text === null ? null : maskSecrets(text, [token]).slice(0, length))
  return {
    model: short(report.model, 200),
    session: short(report.session, 200),
    tokensIn: usage.tokensIn,
    tokensOut: usage.tokensOut,
    tokensCached: usage.tokensCached,
    costUsd: usage.costUsd,
    said: short(report.said, 4000),
    problem: short(problemOf(report), 4000),
  }
}

/** The context use that the CLI reports, otherwise an estimate from its output. */
const useOf = (run: AgentRun, { report, model, printed }: Reader): ContextUse => ({
  tokens: report.context ?? estimatedTokens(printed),
  window: report.window ?? windowOf(run.kind, report.model ?? model),
  estimated: report.context === null,
})

/** The problem that kept the CLI from working, for reasons outside of its task; null if there was none. */
export const problemOf = (report: Report): string | null =>
  report.unauthorized ?? report.limited?.sentence ?? report.noServer ?? (report.noSession === null ? null : `${NO_SESSION}: ${report.noSession}`)

const afterwards = ({ core }: World, run: AgentRun, kind: AgentKind) => {
  if (!kind.afterwards) return []
  try {
    return kind.afterwards.read(readFileSync(kind.afterwards.path(runPath(core.root, run.agentId, run.run, 'scratch')), 'utf8'))
  } catch {
    // The run was killed before it could write the file.
    return []
  }
}
