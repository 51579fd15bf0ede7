import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { makeIdle } from '../../../src/ui/core/timers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const started = () => {
  const rests = vi.fn()
  const rest = makeIdle(rests)
  onTestFinished(rest.stop)
  return {
    ...rest,
    /** The number of rests that were reported in this time. */
    told: async (ms: number): Promise<number> => {
      rests.mockClear()
      await vi.advanceTimersByTimeAsync(ms)
      return rests.mock.calls.length
    },
  }
}

it('a rest is eight seconds without a key, and then every fourth second', async () => {
  const { told } = started()
  expect([await told(7999), await told(1), await told(3999), await told(1), await told(12_000)]).toEqual([
    0, 1, 0, 1, 3,
  ])
})

it('a rest does not occur while keys are pressed, or in the following eight seconds', async () => {
  const { told, disturbed } = started()
  let times = 0
  for (let second = 0; second < 60; second++) {
    disturbed()
    times += await told(1000)
  }
  expect([times, await told(6999), await told(5000)]).toEqual([0, 0, 1])
})

it('a rest ends with a key', async () => {
  const { told, disturbed } = started()
  expect(await told(8000)).toBe(1)
  disturbed()
  expect([await told(7999), await told(1)]).toEqual([0, 1])
})

it('a stopped rest reports nothing, before the first rest or later', async () => {
  const [fresh, rested] = [started(), started()]
  fresh.stop()
  expect([await rested.told(8000), await fresh.told(60_000)]).toEqual([1, 0])
  rested.stop()
  expect([await rested.told(60_000), vi.getTimerCount()]).toEqual([0, 0])
})
