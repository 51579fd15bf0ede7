import { spawnSync } from 'node:child_process'

/** One row of the table in `proofs.ts`: an experiment with so many repetitions that it takes minutes. */
export interface Proof {
  readonly name: string
  /** The meaning of the figures, in one sentence; it is next to them in `docs/proof.md`. */
  readonly shows: string
  /**
   * Runs in a process of its own. On a machine that cannot run it, it throws the reason (see `requirePrograms`): the
   * proof then fails, and is never skipped.
   */
  run(share: Share): Promise<Figures>
}

export interface Figures {
  /** The number of repetitions by kind, in the order in which they are printed: `{ seeds: 500, 'refused writes': 213 }`. */
  readonly counts: Readonly<Record<string, number>>
  /** One sentence for each violation, with the seed or the point that repeats it. */
  readonly violations: readonly string[]
}

/** The share of each proof that runs: `PROVE_SHARE=10` runs a tenth. */
export interface Share {
  /** 1 for all of it. */
  readonly divisor: number
  /** Days since 1970: it decides which part `some` returns. */
  readonly day: number
  /** The number of repetitions to run out of `count`; at least one. */
  of(count: number): number
  /** The part of a list to run; a different part on another day, so that ten days cover all of it. */
  some<Item>(items: readonly Item[]): readonly Item[]
}

export const shareOf = (divisor: number, day: number): Share => {
  if (!Number.isInteger(divisor) || divisor < 1)
    throw new Error(`PROVE_SHARE is a whole number from 1, not ${divisor}.`)
  return {
    divisor,
    day,
    of: (count) => Math.max(1, Math.ceil(count / divisor)),
    some: (items) => {
      const part = items.filter((_, index) => index % divisor === day % divisor)
      return part.length > 0 ? part : items.slice(0, 1)
    },
  }
}

export interface Result {
  readonly name: string
  readonly figures: Figures | undefined
  /** The reason why there are no figures: a program that the machine lacks, or the failure of the proof. */
  readonly failure: string | undefined
  readonly seconds: number
}

/** A proof holds when it ran and found no violation. */
export const holds = ({ figures }: Result): boolean => figures?.violations.length === 0

/** `corruption: 500 seeds, 0 violations, 41 s` */
export const lineOf = (result: Result): string => `${result.name}: ${figuresOf(result)}`

/** The figures alone: `500 seeds, 0 violations, 41 s`, or why there are none. */
export const figuresOf = ({ figures, failure, seconds }: Result): string => {
  const took = `${Math.round(seconds)} s`
  if (!figures) return `FAILED after ${took}: ${failure ?? 'no reason given'}`
  const counts = Object.entries(figures.counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  return [
    ...counts,
    `${figures.violations.length} ${figures.violations.length === 1 ? 'violation' : 'violations'}`,
    took,
  ].join(', ')
}

/** Throws with a sentence if a program is missing: a proof that a machine cannot run fails there, and is not skipped. */
export const requirePrograms = (...names: readonly string[]): void => {
  const missing = names.filter(
    (name) => spawnSync('sh', ['-c', 'command -v -- "$1"', 'sh', name], { stdio: 'ignore' }).status !== 0,
  )
  if (missing.length > 0) throw new Error(`this machine has no ${missing.join(', no ')}. Install it to run this proof.`)
}
