import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { LOCAL } from '../../domain/host/host.ts'
import { pauseAfter } from '../../domain/settings/fleet-settings.ts'
import { countOf } from '../../domain/words/count.ts'
import { duration } from '../../domain/words/time.ts'
import type { AgentRun } from '../../operations/loops/read-wishes.ts'
import { runFolder } from '../files/places.ts'
import { replaceFile } from '../files/replace-file.ts'
import { signalIfAlive } from '../processes/signals.ts'
import type { World } from '../world.ts'

const paused = z.array(z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }))
type Paused = z.output<typeof paused>

/** How often the time without the board is looked at (ms). */
const LOOK = 1000

/**
 * Pauses the agents of this host when the board has been out of reach for so long that others may soon declare the host
 * lost: what they did then would not count. Decided by the clock of this process alone, since nothing else can be asked.
 * The agents continue when the board answers and still has the host.
 */
export class CutOff {
  readonly #world: World
  readonly #after: number
  readonly #path: string
  readonly #timer: NodeJS.Timeout | undefined
  /** When the board was last asked and then answered that this process has the host (ms of the monotonic clock). */
  #heard = performance.now()
  #runs: readonly AgentRun[] = []
  #isPaused = false

  constructor(world: World) {
    this.#world = world
    const { root, host, settings } = world.core
    this.#after = pauseAfter(settings.fleet)
    this.#path = join(runFolder(root), 'cut-off.json')
    // The first host is never declared lost, so what its agents do counts in any case.
    if (typeof host !== 'string' || host === LOCAL) return
    // A timer of its own: the loops wait for the board meanwhile.
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK, this.#after / 10))
    this.#timer.unref()
  }

  /** The runs of this host, as last read. */
  watch(runs: readonly AgentRun[]): void {
    this.#runs = runs
  }

  /** The board answered a question that was asked at `asked`: the host is not lost, and its agents continue. */
  heard(asked: number): void {
    this.#heard = asked
    this.#isPaused = false
    if (existsSync(this.#path)) this.#resume()
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const away = performance.now() - this.#heard
    if (this.#isPaused || away < this.#after) return
    this.#isPaused = true
    const ids = this.#runs.flatMap(({ process, identity, pausedAt }) =>
      process === 'started' && identity !== null && pausedAt === null ? [identity] : [],
    )
    // Recorded first: a process that starts after a crash continues what this one has stopped.
    mkdirSync(runFolder(this.#world.core.root), { recursive: true, mode: 0o700 })
    replaceFile(this.#path, JSON.stringify([...this.#read(), ...ids]))
    const stopped = ids.filter((identity) => signalIfAlive(identity, 'SIGSTOP'))
    if (stopped.length === 0) return
    this.#world.report(
      `The board has not answered for ${duration(away)}, and others may declare this host lost: ${countOf(stopped.length, 'agent')} paused until it answers.`,
    )
  }

  #resume(): void {
    const continued = this.#read().filter((identity) => signalIfAlive(identity, 'SIGCONT'))
    rmSync(this.#path, { force: true })
    if (continued.length > 0)
      this.#world.report(`The board answers again: agents that continue: ${continued.length}.`, true)
  }

  #read(): Paused {
    if (!existsSync(this.#path)) return []
    return paused.parse(JSON.parse(readFileSync(this.#path, 'utf8')))
  }
}
