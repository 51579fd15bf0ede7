import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryReturner } from '../../../src/effects/processes/heap.ts'

const MEGABYTE = 1024 ** 2

it('memory is released first at the start and then when the heap has grown, at most once a minute', () => {
  let [heap, now] = [100, 1000]
  vi.spyOn(process, 'memoryUsage').mockImplementation((() => ({
    heapTotal: heap * MEGABYTE,
  })) as unknown as typeof process.memoryUsage)
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const collect = vi.fn(() => void (heap = 30))
  const giveBack = memoryReturner(collect)
  const seen = [
    [100, 0],
    [200, 59_999],
    [61, 1],
    [62, 0],
    [200, 59_999],
    [200, 1],
  ].map(([megabytes, ms]) => {
    heap = megabytes!
    now += ms!
    giveBack()
    return collect.mock.calls.length
  })
  expect(seen).toEqual([1, 1, 1, 2, 2, 3])
})

it('the heap shrinks, and the collector stays unreachable for other code', () => {
  let garbage: object[] = []
  for (let n = 0; n < 500_000; n++) garbage.push({ n })
  const before = process.memoryUsage().heapTotal
  garbage = []
  memoryReturner()()
  expect(process.memoryUsage().heapTotal).toBeLessThan(before - 16 * MEGABYTE)
  expect([garbage, (globalThis as { gc?: unknown }).gc, runInNewContext('globalThis.gc')]).toEqual([
    [],
    undefined,
    undefined,
  ])
})
