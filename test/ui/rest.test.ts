import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { makeRest } from '../../src/ui/rest.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const started = () => {
  const rests = vi.fn()
  const rest = makeRest(rests)
  onTestFinished(rest.stop)
  return {
    ...rest,
    /** How often the rest was told of while so much time passed. */
    told: async (ms: number): Promise<number> => {
      rests.mockClear()
      await vi.advanceTimersByTimeAsync(ms)
      return rests.mock.calls.length
    },
  }
}

it('eight seconds without a key are a rest, and so is every fourth second from then on', async () => {
  const { told } = started()
  expect([await told(7999), await told(1), await told(3999), await told(1), await told(12_000)]).toEqual([0, 1, 0, 1, 3])
})

it('while keys are pressed there is none, nor in the eight seconds that follow', async () => {
  const { told, disturbed } = started()
  let times = 0
  for (let second = 0; second < 60; second++) {
    disturbed()
    times += await told(1000)
  }
  expect([times, await told(6999), await told(5000)]).toEqual([0, 0, 1])
})

it('a key ends a rest', async () => {
  const { told, disturbed } = started()
  expect(await told(8000)).toBe(1)
  disturbed()
  expect([await told(7999), await told(1)]).toEqual([0, 1])
})

it('what is stopped tells nothing, before the first rest and behind it', async () => {
  const [fresh, rested] = [started(), started()]
  fresh.stop()
  expect([await rested.told(8000), await fresh.told(60_000)]).toEqual([1, 0])
  rested.stop()
  expect([await rested.told(60_000), vi.getTimerCount()]).toEqual([0, 0])
})
