import { statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Reading } from '../../agents/reading/reading.ts'
import { addReading, emptyReport, type Report, Trail, usageOf, windowOf } from '../../agents/reading/report.ts'
import { type ContextUse, estimatedTokens } from '../../domain/agent/context-health.ts'
import { NO_SESSION } from '../../domain/agent/conversation.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readRun, recordOutput, recordRunReport, type RunReport } from '../../operations/runs/reports.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { boundLog } from '../files/bounded-log.ts'
import { outputPath, scratchPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { grownAt, readLines, readOutput, writtenAt } from '../processes/output.ts'
import { endGroup } from '../processes/signals.ts'
import type { Finished, World } from '../world.ts'
import { outputOffsetOf } from './identity.ts'

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
      await world.talks.hear(world, run)
      this.#bound(world, run)
    })
  }

  /** Shortens an output that is too long; it was just read to its end, and is read on from its new end. */
  #bound({ core, talks }: World, run: AgentRun): void {
    const path = outputPath(core.root, run.agentId)
    if (!boundLog(path, { from: outputOffsetOf(core.root, run), most: core.settings.session.logLimit })) return
    const { size } = statSync(path)
    const reader = this.#readers.get(keyOf(run))
    if (reader) reader.offset = size
    talks.cut(run, size)
  }

  /** Records output often enough that a printing run never counts as stalled, but not each line. */
  async #recordOutput({ core, actor }: World, run: AgentRun): Promise<void> {
    const writtenAt = await grownAt(outputPath(core.root, run.agentId))
    const before = this.#printed.get(keyOf(run))
    if (
      run.taskId === null ||
      writtenAt === null ||
      (before !== undefined && elapsed(before, writtenAt) < core.settings.lease.stalledAfter / 10)
    )
      return
    await perform(core, recordOutput, { taskId: run.taskId, agentId: run.agentId, writtenAt }, actor)
    this.#printed.set(keyOf(run), writtenAt)
  }

  async #record(world: World, run: AgentRun, kind: AgentKind): Promise<void> {
    const reader = await this.#readOn(world, run, kind)
    const silent = reader.waiting.silence(reader.writtenAt, world.core.clock(), world.core.settings.lease.stalledAfter)
    const report = recordOf(world, run, reader)
    const said = {
      ...(kind.read
        ? {
            report: { ...report, problem: [report.problem, silent].filter((part) => part !== null).join('; ') || null },
          }
        : {}),
      use: useOf(run, reader),
    }
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
    for (const reading of [
      ...reader.lines.flush().flatMap((line) => kind.read!(line, reader.writtenAt)),
      ...afterwards(world, run, kind),
    ])
      take(reader, reading)
    this.#bound(world, run)
    this.#readers.delete(keyOf(run))
    if (reader.report.limited === null && reader.waiting.stoppedFor !== null)
      reader.report = { ...reader.report, limited: reader.waiting.stoppedFor }
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
    await readNew(world, run, kind, reader)
    return reader
  }
}

const keyOf = (run: AgentRun): string => `${run.agentId}.${run.run}`

type Usage = Parameters<typeof usageOf>[1]

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

/** A longer line is not a message of a CLI (characters). */
const LONGEST_LINE = 4 * 1024 * 1024

const begin = async ({ core, actor }: World, run: AgentRun): Promise<Reader> => {
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

const take = (reader: Reader, reading: Reading): void => {
  reader.report = addReading(reader.report, reading)
  reader.trail.add(reading)
}

/** Reads the output from the position of the reader to its end, and the CLI's own ledger. */
const readNew = async (world: World, run: AgentRun, kind: AgentKind, reader: Reader): Promise<void> => {
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

const afterwards = ({ core }: World, run: AgentRun, kind: AgentKind) => {
  if (!kind.afterwards) return []
  try {
    // The folder is the CLI's, which could put anything there. A run that was killed has written no file.
    const text = readRegular(kind.afterwards.path(scratchPath(core.root, run)))
    return text === undefined ? [] : kind.afterwards.read(text)
  } catch {
    return []
  }
}

const recordOf = ({ core }: World, run: AgentRun, { report, earlier }: Reader): RunReport => {
  const usage = usageOf(report, earlier)
  const token = core.launchToken(run.agentId, run.run)
  const short = (text: string | null, length: number): string | null =>
    text === null ? null : maskSecrets(text, [token]).slice(0, length)
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
  report.unauthorized ??
  report.limited?.sentence ??
  report.noServer ??
  (report.noSession === null ? null : `${NO_SESSION}: ${report.noSession}`)

// A CLI whose quota is used up may wait until the quota resets instead of exiting; it keeps its task and its place
// meanwhile.

/** A run waits for a limit that ends sooner (ms). */
const SHORT = 60_000

/**
 * How long a limit must last without an answer of the model: a CLI may exit by itself, or continue with another model
 * (ms).
 */
const SETTLED = 5000

/** The state of a run's wait. */
export class Waiting {
  /** The limit for which the run was stopped. Later output of the CLI does not clear it. */
  stoppedFor: Report['limited'] = null
  #since: number | null = null
  #last: 'nothing' | 'tool' | 'model' = 'nothing'

  /** Records the content of a line; a line that calls no tool comes from the model, or ends a tool. */
  line(readings: readonly Reading[]): void {
    this.#last = readings.some(({ kind }) => kind === 'tool') ? 'tool' : 'model'
  }

  /**
   * The limit for which the run waits, once it has lasted for a while and does not end soon. `now` is of the monotonic
   * clock (ms).
   */
  longLimit({ limited }: Report, at: Instant, now: number): Report['limited'] {
    const long = limited !== null && limited.resetsAt !== null && elapsed(at, limited.resetsAt) > SHORT
    this.#since = long ? (this.#since ?? now) : null
    return this.#since !== null && now - this.#since >= SETTLED ? limited : null
  }

  /**
   * A message about a run without output for longer than `patience` ms. Some CLIs wait for a quota silently, which
   * looks from outside like a thinking model or a long tool.
   */
  silence(writtenAt: Instant, now: Instant, patience: number): string | null {
    if (elapsed(writtenAt, now) <= patience) return null
    const since = `it has printed nothing since ${clockTime(writtenAt)}`
    if (this.#last === 'tool')
      return `${since}, when it called a tool: the tool is still running, or its service does not respond`
    return `${since} and runs no tool: its service does not respond, as when a quota is used up`
  }
}

/**
 * Stops a run that waits for a long limit. Its end is judged by that limit: the task uses up no retry, no agent of the
 * kind starts before the reset, and the next attempt resumes the conversation. After a crash the process that reads the
 * output next repeats it.
 */
const stopAtLimit = async ({ core }: World, run: AgentRun, waiting: Waiting, report: Report): Promise<void> => {
  if (run.identity === null || run.stopRequestedAt !== null || run.pausedAt !== null) return
  const limit = waiting.longLimit(report, core.clock(), performance.now())
  if (limit === null) return
  waiting.stoppedFor = limit
  await endGroup(run.identity, core.settings.lease.terminateGrace)
}

/** The part of its end that is read (bytes). */
const TAIL = 256 * 1024

/** The latest content of a CLI's own session file (AgentKind.ledger); empty if the file is missing or unchanged. */
class SessionLedger {
  #seen = ''

  async read(
    ledger: NonNullable<AgentKind['ledger']>,
    session: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<readonly Reading[]> {
    const newest = await newestOf((await Promise.all(ledger.paths(session, environment).map(filesLike))).flat())
    if (newest === undefined || newest.stamp === this.#seen) return []
    this.#seen = newest.stamp
    const { lines } = await readLines(newest.path, { tail: TAIL })
    for (const line of [...lines].reverse()) {
      const said = ledger.read(line)
      if (said.length > 0) return said
    }
    return []
  }
}

/** Files whose path matches; `*` matches anything in one name. */
const filesLike = async (pattern: string): Promise<readonly string[]> => {
  let found: readonly string[] = ['']
  for (const part of pattern.split(sep)) {
    found = part.includes('*')
      ? (await Promise.all(found.map((folder) => namesLike(folder, part)))).flat()
      : found.map((folder) => (folder === '' ? `${part}${sep}` : join(folder, part)))
  }
  return found
}

const namesLike = async (folder: string, pattern: string): Promise<readonly string[]> => {
  const name = new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`)
  return (await readdir(folder).catch(() => [])).filter((one) => name.test(one)).map((one) => join(folder, one))
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const newestOf = async (
  paths: readonly string[],
): Promise<{ readonly path: string; readonly stamp: string } | undefined> => {
  const files = await Promise.all(paths.map(async (path) => ({ path, at: await stat(path).catch(() => undefined) })))
  const [newest] = files.filter(({ at }) => at?.isFile()).sort((one, other) => other.at!.mtimeMs - one.at!.mtimeMs)
  return newest && { path: newest.path, stamp: `${newest.path} ${newest.at!.size} ${newest.at!.mtimeMs}` }
}
