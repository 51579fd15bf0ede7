/** One promise of DESIGN section 8 with what was measured. */
export interface Row {
  readonly what: string
  readonly measured: string
  readonly target: string
  /** True where the promise is kept; null where there is no target. */
  readonly kept: boolean | null
}

/** The q-quantile (0..1) of some numbers. */
export const quantile = (numbers: readonly number[], q: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)

export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`
