// Estimates from past attempts. A shell command says nothing about an agent of the same persona.

/** Past attempts without which nothing is estimated. */
const ENOUGH = 3

/** Shorter usual times (ms) are not worth an estimate. */
const LEAST = 10_000

/** The median of durations (ms); undefined if there are too few, or if they are too short to be waited for. */
export const usualTime = (durations: readonly number[]): number | undefined => {
  if (durations.length < ENOUGH) return undefined
  const sorted = durations.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
  return median >= LEAST ? median : undefined
}

/** Tasks with the same key take about the same time. */
export const usualKey = ({
  personaId,
  isCommand,
}: {
  readonly personaId: string
  readonly isCommand: boolean
}): string => `${isCommand ? 'command' : 'agent'} ${personaId}`
