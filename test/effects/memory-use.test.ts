import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryReturner } from '../../src/effects/memory-use.ts'

const MEGABYTE = 1024 ** 2

/** A process that says to have so much more than it uses, at a time that only `pass` moves, and the collections that were asked for. */
const world = () => {
  let [slack, now, asked] = [0, 1000, 0]
  vi.spyOn(process, 'memoryUsage').mockImplementation((() => ({ heapTotal: 100 * MEGABYTE + slack, heapUsed: 100 * MEGABYTE })) as unknown as typeof process.memoryUsage)
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (((entry as unknown as { detail: { flags: number } }).detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) asked++
  })
  observer.observe({ entryTypes: ['gc'] })
  onTestFinished(() => {
    observer.disconnect()
    vi.restoreAllMocks()
  })
  return {
    slack: (megabytes: number) => void (slack = megabytes * MEGABYTE),
    pass: (ms: number) => void (now += ms),
    /** They are told some turns later; so are those too many. */
    collections: async (expected: number): Promise<number> => {
      await vi.waitUntil(() => asked >= expected, 20_000)
      for (let time = 0; time < 5; time++) await turn()
      return asked
    },
  }
}

it('memory is given back where there is much to give, and then not for a minute', async () => {
  const { slack, pass, collections } = world()
  const giveBack = memoryReturner()
  for (let minute = 0; minute < 3; minute++) {
    slack(31)
    giveBack()
    pass(60_000)
  }
  slack(32)
  giveBack()
  expect(await collections(1)).toBe(1)
  pass(59_999)
  giveBack()
  pass(1)
  slack(200)
  giveBack()
  giveBack()
  expect(await collections(2)).toBe(2)
})

it('what asks for it is nowhere else to be had afterwards', async () => {
  const { slack, collections } = world()
  slack(64)
  memoryReturner()()
  expect(await collections(1)).toBe(1)
  expect([(globalThis as { gc?: unknown }).gc, runInNewContext('globalThis.gc')]).toEqual([undefined, undefined])
})
