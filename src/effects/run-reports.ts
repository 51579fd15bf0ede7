import { readFileSync, statSync } from 'node:fs'
import { addReading, emptyReport, type Report, usageOf } from '../agents/report.ts'
import type { AgentKind } from '../agents/kind.ts'
import type { Reading } from '../agents/reading.ts'
import { Trail } from '../agents/trail.ts'
import { windowOf } from '../agents/windows.ts'
import { type ContextUse, estimatedTokens } from '../domain/context-health.ts'
import { NO_SESSION } from '../domain/resume.ts'
import { maskSecrets } from '../domain/secrets.ts'
import { elapsed, type Instant } from '../domain/time.ts'
import type { RunReport } from '../operations/kernel/run-report.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { readRun } from '../operations/read-run.ts'
import { recordOutput } from '../operations/record-output.ts'
import { recordRunReport } from '../operations/record-run-report.ts'
import { boundLog } from './bounded-log.ts'
import { outputOffsetOf } from './launcher.ts'
import { grownAt, readOutput, writtenAt } from './output.ts'
import { outputPath, runPath } from './places.ts'
import { SessionLedger } from './session-ledger.ts'
import { stopAtLimit, Waiting } from './waiting-run.ts'
import type { World } from './world.ts'

/** How far a run's output was read, and what it said up to there. */
interface Reader {
  offset: number
  /** The start of a line whose end has not been written yet. */
  rest: string
  /** When the output was last written to. */
  writtenAt: Instant
  report: Report
  trail: Trail
  earlier: Usage
  /** The model that it was started with; null where that was left to the CLI. */
  model: string | null
  waiting: Waiting
  /** Characters that it has printed. */
  printed: number
  ledger: SessionLedger
  /** What was recorded last, so that nothing is written when nothing new was said. */
  recorded: string
}

/** Everything that a run has said: as it decides, as it is recorded, and what it did. */
export interface Finished {
  readonly report: Report
  readonly record: RunReport
  readonly use: ContextUse
  readonly trail: Trail
}

type Usage = Parameters<typeof usageOf>[1]

/** A line longer than this is no message of a CLI (characters). */
const LONGEST_LINE = 4 * 1024 * 1024

/** What the runs of this process's agents say in their output, read on from where it was read last. */
export class RunReports {
  readonly #readers = new Map<string, Reader>()
  readonly #turns = new Map<string, Promise<unknown>>()
  /** By agent and run, when it had last printed something that was recorded. */
  readonly #printed = new Map<string, Instant>()

  /** Reads what is new and records it when it says something new. */
  async follow(world: World, run: AgentRun): Promise<void> {
    const kind = world.kinds.get(run.kind)
    if (!kind) return
    await this.#inTurn(run, async () => {
      await (kind.exitDecides ? this.#recordOutput(world, run) : this.#record(world, run, kind))
      this.#bound(world, run)
    })
  }

  /** Shortens an output that is too long; it was read to its end just now, and is read on from its new end. */
  #bound({ core }: World, run: AgentRun): void {
    const path = outputPath(core.root, run.agentId)
    if (!boundLog(path, { from: outputOffsetOf(core.root, run), most: core.settings.session.logLimit })) return
    const reader = this.#readers.get(keyOf(run))
    if (reader) reader.offset = statSync(path).size
  }

  /** Not each line: often enough that one who prints is never taken for stalled. */
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

  /** Everything that a run that is over has said; undefined for kinds whose output is for people. */
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
    // The last line may lack its end.
    for (const reading of [...kind.read!(reader.rest, reader.writtenAt), ...afterwards(world, run, kind)]) take(reader, reading)
    this.#bound(world, run)
    this.#readers.delete(keyOf(run))
    if (reader.report.limited === null && reader.waiting.stoppedFor !== null) reader.report = { ...reader.report, limited: reader.waiting.stoppedFor }
    return { report: reader.report, record: recordOf(world, run, reader), use: useOf(run, reader), trail: reader.trail }
  }

  /** One reads a run's output at a time: the end of a run may come while it is being followed. */
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
      // Nobody says when a line was written; a limit that ends "in 2 hours" was told no later than this.
      reader.writtenAt = await writtenAt(path)
      const { text, next, size } = await readOutput(path, { offset: reader.offset })
      reader.printed += text.length
      const lines = (reader.rest + text).split('\n')
      reader.rest = lines.pop()!.slice(-LONGEST_LINE)
      for (const line of lines) {
        const readings = kind.read?.(line, reader.writtenAt) ?? []
        reader.waiting.line(readings)
        for (const reading of readings) take(reader, reading)
      }
      const stuck = next <= reader.offset
      reader.offset = next
      if (stuck || next >= size) break
    }
    const { session } = reader.report
    // Where the person's own variables say, as for the CLI itself.
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
    rest: '',
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

/** What its CLI tells of its context, else what it printed. */
const useOf = (run: AgentRun, { report, model, printed }: Reader): ContextUse => ({
  tokens: report.context ?? estimatedTokens(printed),
  window: report.window ?? windowOf(run.kind, report.model ?? model),
  estimated: report.context === null,
})

/** What kept the CLI from working, for reasons outside of its task; null where nothing did. */
export const problemOf = (report: Report): string | null =>
  report.unauthorized ?? report.limited?.sentence ?? report.noServer ?? (report.noSession === null ? null : `${NO_SESSION}: ${report.noSession}`)

const afterwards = ({ core }: World, run: AgentRun, kind: AgentKind) => {
  if (!kind.afterwards) return []
  try {
    return kind.afterwards.read(readFileSync(kind.afterwards.path(runPath(core.root, run.agentId, run.run, 'scratch')), 'utf8'))
  } catch {
    // It was ended before it could write it.
    return []
  }
}
