import { expect, it } from 'vitest'
import { usualTime } from '../../../src/domain/task/status.ts'

it.each([
  [[60_000, 600_000, 90_000], 90_000],
  [[60_000, 120_000, 30_000, 90_000], 75_000],
  [[60_000, 60_000], undefined],
  [[], undefined],
  [[100, 9000, 9999], undefined],
] as const)('the usual time of attempts of %j ms is %s', (durations, usual) => {
  expect(usualTime(durations)).toBe(usual)
})
