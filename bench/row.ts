import { loadavg } from 'node:os'

/** One promise about speed or size, with its measurement. */
export interface Row {
  readonly what: string
  /** A line, or one per size with its name. */
  readonly measured: string | readonly (readonly [size: string, measured: string])[]
  readonly target: string
  /** True if the promise is kept; null without a target. */
  readonly kept: boolean | null
}

/** The row as printed, with the load of the machine and the seconds that its measurement took. */
export const printed = ({ what, measured, target, kept }: Row, seconds: number): string => {
  const lines =
    typeof measured === 'string' ? [measured] : measured.map(([size, text]) => `${size.padStart(SIZE)}  ${text}`)
  return [
    `${kept === null ? ' ' : kept ? '✓' : '✗'} ${what}   (target: ${target}; load ${loadavg()[0]!.toFixed(1)}; took ${Math.round(seconds)} s)`,
    ...lines.map((line) => `    ${line}`),
  ].join('\n')
}

const SIZE = '100,000 tasks'.length

/** The q-quantile (0..1) of some numbers. */
export const quantile = (numbers: readonly number[], q: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)

export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`

export const middleAndWorst = (times: readonly number[]): string =>
  `p50 ${ms(median(times))}, p99 ${ms(quantile(times, 0.99))}`
