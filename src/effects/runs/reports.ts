import { statSync } from 'node:fs'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { elapsed, type Instant } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { recordOutput, recordRunReport } from '../../operations/runs/reports.ts'
import { boundLog } from '../files/bounded-log.ts'
import { outputOffsetOf } from './begun.ts'
import { grownAt } from '../processes/output.ts'
import { outputPath } from '../files/paths.ts'
import { stopAtLimit } from './waiting-run.ts'
import type { Finished, World } from '../world.ts'
import { recordOf, useOf } from './run-record.ts'
import { afterwards, begin, type Reader, readNew, take } from './run-reader.ts'

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
