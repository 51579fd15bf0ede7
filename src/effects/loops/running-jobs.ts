import type { Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'

/** Jobs by key: one of a key runs at a time; a failed one rests, and is reported once while its sentence stays the same. */
export class RunningJobs {
  readonly #report: (sentence: string) => void
  readonly #pause: number
  readonly #isReported: (refusal: Refusal) => boolean
  readonly #running = new Set<string>()
  readonly #reported = new Map<string, string>()
  /** The time until which each failed job is not retried (ms of the monotonic clock). */
  readonly #resting = new Map<string, number>()

  /** A failed job rests for `pause` ms. Its reason is not reported here if `isReported` says that it is. */
  constructor(report: (sentence: string) => void, pause: number, isReported: (refusal: Refusal) => boolean) {
    this.#report = report
    this.#pause = pause
    this.#isReported = isReported
  }

  get count(): number {
    return this.#running.size
  }

  mayBegin(key: string, now: number): boolean {
    return !this.#running.has(key) && now >= (this.#resting.get(key) ?? 0)
  }

  /** Runs a job; `done` is called when it has succeeded. */
  begin(key: string, job: () => Promise<unknown>, done: () => void = () => {}): void {
    this.#running.add(key)
    job()
      .then(
        () => {
          this.#reported.delete(key)
          this.#resting.delete(key)
          done()
        },
        (error: unknown) => {
          const refusal = asRefusal(error)
          // The process that supervises now does the same job.
          if (refusal?.code !== 'stale_supervisor' && !(refusal && this.#isReported(refusal)))
            this.reportOnce(key, refusal?.message ?? `${key}: ${error instanceof Error ? error.stack : String(error)}`)
          this.#resting.set(key, performance.now() + this.#pause)
        },
      )
      .finally(() => this.#running.delete(key))
  }

  /** Reports a sentence, unless it is the last one that was reported of the key. */
  reportOnce(key: string, sentence: string): void {
    if (this.#reported.get(key) !== sentence) this.#report(sentence)
    this.#reported.set(key, sentence)
  }

  /** The next sentence of the key is reported even if it is the same. */
  forget(key: string): void {
    this.#reported.delete(key)
  }
}
