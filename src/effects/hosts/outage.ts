import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { pauseAfter } from '../../domain/host/heartbeat.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { isAway, isReadOnly, isRefusal, problemOf, type Refusal, type RefusalCode } from '../../domain/rules/refusal.ts'
import { countOf } from '../../domain/words/counts.ts'
import { duration } from '../../domain/words/time.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
import { signalIfAlive } from '../processes/signals.ts'
import type { World } from '../world.ts'
import { beatPath } from './own-host.ts'

// While the board does not answer: agents are paused, the problem is reported once, questions are asked again.

/** How often the time without the board is looked at (ms). */
const LOOK = 1000

type Here = { readonly core: Pick<World['core'], 'root' | 'host' | 'settings'> } & Pick<World, 'report'>

/** The agents of this host, which are paused if the board does not answer for too long. */
export const cutOffOf = ({ core: { root, host, settings }, report }: Here): CutOff =>
  // The first host is never declared lost, so what its agents do counts in any case.
  new CutOff(root, report, typeof host !== 'string' || host === LOCAL ? undefined : pauseAfter(settings.fleet))

/**
 * Pauses the agents of this host when the board has been out of reach for so long that others may soon declare the host
 * lost: what they did then would not count. Decided by the clock of this machine alone, since nothing else can be asked.
 * The agents continue when the board answers and still has the host.
 */
export class CutOff {
  readonly #root: string
  readonly #report: World['report']
  readonly #after: number | undefined
  readonly #path: string
  readonly #timer: NodeJS.Timeout | undefined
  /** When the board was last asked and then answered that this host is there (ms of the monotonic clock). */
  #heard = performance.now()
  #agents: Identities = []
  #remembered = ''
  #isPaused = false

  /** Without `after` nothing is ever paused. `silent`: for how long the board has not answered already (ms). */
  constructor(root: string, report: World['report'], after: number | undefined, silent = 0) {
    this.#root = root
    this.#report = report
    this.#after = after
    this.#path = join(runFolder(root), 'cut-off.json')
    if (after === undefined) return
    this.#heard -= silent
    this.#agents = lastKnown(root)?.agents ?? []
    // A timer of its own: the loops wait for the board meanwhile.
    this.#timer = setInterval(() => this.#look(after), Math.min(LOOK, after / 10))
    this.#timer.unref()
  }

  /** The runs of this host, as last read. */
  watch(runs: readonly AgentRun[]): void {
    this.#agents = runs.flatMap(({ process, identity, pausedAt }) =>
      process === 'started' && identity !== null && pausedAt === null ? [identity] : [],
    )
    if (this.#after !== undefined) this.#remember({ after: this.#after, agents: this.#agents })
  }

  /** The board answered which process has the role of the host; none has it on a host that was lost. */
  answered(asked: number, { here, pid }: { readonly here: boolean; readonly pid: number | null }): void {
    if (here) this.heard(asked)
    else if (pid !== null) this.handedOver(asked)
  }

  /** The board answered a question that was asked at `asked`: the host is not lost, and its agents continue. */
  heard(asked: number): void {
    this.#heard = asked
    this.#isPaused = false
    if (existsSync(this.#path)) this.#resume()
  }

  /** Another process of this host has its agents from now on, and hears of the board itself. */
  handedOver(asked: number): void {
    this.#heard = asked
    this.#isPaused = false
    this.#agents = []
    this.#remembered = ''
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(after: number): void {
    const away = performance.now() - this.#heard
    if (this.#isPaused || away < after) return
    this.#isPaused = true
    const ids = this.#agents
    // Recorded first: a process that starts after a crash continues what this one has stopped.
    this.#write(this.#path, JSON.stringify([...this.#read(), ...ids]))
    const stopped = ids.filter((identity) => signalIfAlive(identity, 'SIGSTOP'))
    if (stopped.length === 0) return
    this.#report(
      `The board has not answered for ${duration(away)}, and others may declare this host lost: ${countOf(stopped.length, 'agent')} paused until it answers.`,
    )
  }

  #resume(): void {
    const continued = this.#read().filter((identity) => signalIfAlive(identity, 'SIGCONT'))
    rmSync(this.#path, { force: true })
    if (continued.length > 0) this.#report(`The board answers again: agents that continue: ${continued.length}.`, true)
  }

  #read(): Identities {
    if (!existsSync(this.#path)) return []
    return identities.parse(JSON.parse(readFileSync(this.#path, 'utf8')))
  }

  #remember(now: Known): void {
    const text = JSON.stringify(now)
    if (text === this.#remembered) return
    this.#write(knownPath(this.#root), text)
    this.#remembered = text
  }

  #write(path: string, text: string): void {
    mkdirSync(runFolder(this.#root), { recursive: true, mode: 0o700 })
    replaceFile(path, text)
  }
}

const identities = z.array(z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }))
type Identities = z.output<typeof identities>

/** The last that a process of this host knew: its agents, and after how long without the board they are paused (ms). */
const known = z.object({ after: z.number(), agents: identities })
type Known = z.output<typeof known>

const knownPath = (root: string): string => join(runFolder(root), 'agents.json')

/** Undefined on the first host, on one that never ran an agent, and if the file is damaged. */
const lastKnown = (root: string): Known | undefined => {
  try {
    return known.safeParse(JSON.parse(readFileSync(knownPath(root), 'utf8'))).data
  } catch {
    return undefined
  }
}

/** How long ago the board last acknowledged a heartbeat of this host (ms); 0 if it never did. */
const sinceBeat = (root: string): number => {
  const at = statSync(beatPath(root), { throwIfNoEntry: false })?.mtimeMs
  return at === undefined ? 0 : Math.max(0, Date.now() - at)
}

/**
 * Opens the board; while its server does not answer, says so once for each problem and waits, until `signal`. The agents of this host run
 * meanwhile, and are paused as under a process that has lost the board, whose time without it counts too. Any other
 * refusal ends the wait.
 */
export const whenThere = async <T>(
  root: string,
  open: () => Promise<T>,
  { report, signal, every = LOOK }: Pick<World, 'report'> & { readonly signal: AbortSignal; readonly every?: number },
): Promise<T | undefined> => {
  let cutOff: CutOff | undefined
  let problem: string | undefined
  try {
    while (!signal.aborted) {
      try {
        const opened = await open()
        if (cutOff !== undefined) report('The board answers again.', true)
        return opened
      } catch (error) {
        if (!isRefusal(error) || error.code !== 'store_unreachable') throw error
        // Another problem is said too: a person may have to renew a certificate before the board can answer.
        if (problem !== problemOf(error)) report(`${error.message} The worker waits for it.`)
        problem = problemOf(error)
        cutOff ??= new CutOff(root, report, lastKnown(root)?.after, sinceBeat(root))
      }
      await sleep(every, undefined, { signal }).catch(() => {})
    }
    return undefined
  } finally {
    cutOff?.end()
  }
}

/** Refusals of a store that is read and takes no writes. */
const UNWRITABLE: ReadonlySet<RefusalCode> = new Set([
  'store_read_only',
  'disk_failed',
  'not_writable',
  'not_allowed',
  'database_busy',
])

/** Remembers a problem of the loops with the board until its end, which is reported too: a sentence that stays on the screen reads as present. */
export class BoardTrouble {
  readonly #report: World['report']
  /** The problem of an outage that has not ended. */
  #outage: string | undefined
  #isUnwritable = false
  #closed: string | undefined

  constructor(report: World['report']) {
    this.#report = report
  }

  /** Why the board can only be read since the last write; undefined if it takes writes, or may take them soon. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** A turn has failed for this reason; true if it is said already. */
  met(refusal: Refusal | undefined): boolean {
    this.#isUnwritable ||= refusal !== undefined && UNWRITABLE.has(refusal.code)
    if (refusal !== undefined && isReadOnly(refusal)) this.#closed = refusal.message
    return this.isOutage(refusal)
  }

  /**
   * True if the board does not answer, which is said here: once for all the work that meets it until it answers, whatever
   * reasons the system gives meanwhile.
   */
  readonly isOutage = (refusal: Refusal | undefined): boolean => {
    if (refusal?.code !== 'store_unreachable') return false
    const problem = problemOf(refusal)
    if (problem !== this.#outage) this.#report(refusal.message)
    this.#outage = problem
    return true
  }

  /** The board has answered. */
  answered(): void {
    if (this.#outage !== undefined) this.#report('The board answers again.', true)
    this.#outage = undefined
  }

  /** The clock of the board's server has jumped by so much (ms). */
  jumped(by: number): void {
    if (by < 0)
      this.#report(
        `The clock of the board's server went back by ${duration(-by)}. Until it has caught up, the time of the board does not advance here. Check the server's clock.`,
      )
    if (by > 0)
      this.#report(
        `The clock of the board's server jumped ahead by ${duration(by)}. Every lease and request gets its whole time again. Check the server's clock.`,
      )
  }

  /** The board was written. */
  written(): void {
    this.answered()
    if (this.#isUnwritable) this.#report('The board takes writes again.', true)
    this.#isUnwritable = false
    this.#closed = undefined
  }
}

/** How long a board that does not answer is left alone before it is asked again (ms). */
const AGAIN = 1000

/** How long it is asked again after a person has ended the wait (ms). */
const FAREWELL = 10_000

/**
 * Asks until the board has decided, since what runs goes on while it is away. A write needs a request id: the answer to
 * its commit may have been lost.
 */
export const untilAnswered = async <T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (let over: number | undefined; ;) {
    try {
      return await ask()
    } catch (error) {
      if (signal?.aborted) over ??= performance.now() + FAREWELL
      if (!isAway(error) || (over !== undefined && performance.now() >= over)) throw error
    }
    await sleep(AGAIN)
  }
}
