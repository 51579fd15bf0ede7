/** One row of the table in `proofs.ts`: something that is tried so often that it takes minutes. */
export interface Proof {
  readonly name: string
  /** What the figures show, in one sentence; it stands beside them in `docs/proof.md`. */
  readonly shows: string
  /**
   * Runs in a process of its own. A machine that cannot run it throws with the reason (see `requirePrograms`): the proof
   * then fails, it is never skipped.
   */
  run(share: Share): Promise<Figures>
}

export interface Figures {
  /** What was done how often, in the order in which it is printed: `{ seeds: 500, 'refused writes': 213 }`. */
  readonly counts: Readonly<Record<string, number>>
  /** One sentence for each broken promise, with what repeats it (the seed, the point). */
  readonly violations: readonly string[]
}

/** How much of each proof is run: `PROVE_SHARE=10` runs a tenth. */
export interface Share {
  /** 1 for all of it. */
  readonly divisor: number
  /** How many of `count` repetitions to run; at least one. */
  of(count: number): number
  /** The part of a list to run; another part on another day, so that ten days see all of it. */
  some<Item>(items: readonly Item[]): readonly Item[]
}

/** `day` decides which part of a list `some` gives: days since 1970. */
export const shareOf = (divisor: number, day: number): Share => {
  if (!Number.isInteger(divisor) || divisor < 1) throw new Error(`PROVE_SHARE is a whole number from 1, not ${divisor}.`)
  return {
    divisor,
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
  /** Why there are no figures: what the machine lacks, or how the proof failed. */
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
  return [...counts, `${figures.violations.length} ${figures.violations.length === 1 ? 'violation' : 'violations'}`, took].join(', ')
}
