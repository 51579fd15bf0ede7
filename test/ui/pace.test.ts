import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { atMost, repeat, rested } from '../../src/ui/pace.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // One that is held lasts a millisecond.
  vi.stubGlobal('setImmediate', queueMicrotask)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

/** Work that lasts `ms`, and the moments at which it was begun; it tells when two of it overlap. */
const workFor = (ms: number) => {
  const zero = performance.now()
  const begun: number[] = []
  let running = false
  return {
    begun,
    work: async (): Promise<void> => {
      if (running) throw new Error('two at a time')
      running = true
      begun.push(Math.round(performance.now() - zero))
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
      running = false
    },
  }
}

describe('at most once in a time', () => {
  it('begins with the first who asks, and does for many what they ask for once', async () => {
    const { work, begun } = workFor(0)
    const { ask } = atMost(100, work)
    await pass(500)
    expect(begun).toEqual([])
    for (let time = 0; time < 9; time++) ask()
    await pass(0)
    expect(begun).toEqual([500])
    for (let time = 0; time < 9; time++) ask()
    await pass(99)
    expect(begun).toEqual([500])
    await pass(1)
    expect(begun).toEqual([500, 600])
    await pass(1000)
    expect(begun).toEqual([500, 600])
    ask()
    await pass(0)
    expect(begun).toEqual([500, 600, 1600])
  })

  it('is done once more where it was asked for while it ran, and never twice at a time', async () => {
    const { work, begun } = workFor(250)
    const { ask } = atMost(100, work)
    ask()
    await pass(10)
    for (let time = 0; time < 3; time++) ask()
    await pass(1000)
    // What was asked for later is not in what had begun; the pause counts from the beginning, so it follows at once, which for a timer is a millisecond.
    expect(begun).toEqual([0, 251])
  })

  it('is done at once when it is hurried, after what runs', async () => {
    const { work, begun } = workFor(20)
    const { ask, hurry, stop } = atMost(100, work)
    ask()
    await pass(30)
    ask()
    await pass(10)
    hurry()
    await pass(5)
    hurry()
    ask()
    await pass(200)
    expect(begun).toEqual([0, 40, 61])
    stop()
    hurry()
    await pass(200)
    expect(begun).toHaveLength(3)
  })

  it('is over when it is stopped: before its time, while it runs, and for all who ask later', async () => {
    const waiting = workFor(0)
    const before = atMost(100, waiting.work)
    before.ask()
    before.stop()
    const long = workFor(50)
    const during = atMost(100, long.work)
    during.ask()
    await pass(10)
    during.ask()
    during.stop()
    before.ask()
    await pass(1000)
    expect([waiting.begun, long.begun]).toEqual([[], [0]])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('again and again', () => {
  it('begins now, and then at each multiple that leaves half of the time between an end and a beginning', async () => {
    const [short, long] = [workFor(30), workFor(60)]
    const stops = [repeat(100, short.work), repeat(100, long.work)]
    await pass(400)
    expect([short.begun, long.begun]).toEqual([
      [0, 100, 200, 300, 400],
      [0, 200, 400],
    ])
    stops.forEach((stop) => stop())
  })

  it('wakes once for all that is due, whenever each was begun and however long it takes', async () => {
    const works = [workFor(0), workFor(7), workFor(0), workFor(90)]
    const stops: (() => void)[] = []
    for (const [n, ms] of [100, 100, 200, 500].entries()) {
      stops.push(repeat(ms, works[n]!.work))
      await pass(23)
    }
    expect(vi.getTimerCount()).toBe(2)
    await pass(908)
    expect(works.map(({ begun }) => begun.slice(1))).toEqual([
      [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
      [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
      [200, 400, 600, 800, 1000],
      [500, 1000],
    ])
    stops.forEach((stop) => stop())
  })

  it('asks for no moment that is over, however long its work holds everything up: Node would print a warning over the screen', async () => {
    const asked = vi.spyOn(globalThis, 'setTimeout')
    const now = performance.now.bind(performance)
    let late = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + late)
    const stops = [
      // Nothing else is done while it works.
      repeat(50, () => void (late += 150)),
      repeat(70, () => {}),
    ]
    await pass(1000)
    stops.forEach((stop) => stop())
    const waits = asked.mock.calls.map(([, ms]) => ms ?? 0)
    vi.restoreAllMocks()
    expect(waits.length > 5).toBe(true)
    expect(waits.filter((ms) => ms < 0)).toEqual([])
  })

  it('begins later where that is asked for', async () => {
    const { work, begun } = workFor(0)
    const stop = repeat(100, work, 700)
    await pass(900)
    expect(begun).toEqual([700, 800, 900])
    stop()
  })

  it('is over when it is stopped, while it waits, while it runs and before it began', async () => {
    const [waits, runs, later] = [workFor(0), workFor(50), workFor(0)]
    const stops = [repeat(100, waits.work), repeat(100, runs.work), repeat(100, later.work, 10)]
    await pass(5)
    stops.forEach((stop) => stop())
    await pass(1000)
    expect([waits.begun, runs.begun, later.begun]).toEqual([[0], [0], []])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what waits for a rest', () => {
  it('is done once, when nobody has asked for so long', async () => {
    const { work, begun } = workFor(0)
    const { ask } = rested(60, 400, () => void work())
    for (let time = 0; time < 5; time++) {
      ask()
      await pass(30)
    }
    expect(begun).toEqual([])
    await pass(30)
    expect(begun).toEqual([180])
    await pass(1000)
    expect(begun).toEqual([180])
  })

  it('is done at the latest after so long, however often it is asked for, and then begins to wait anew', async () => {
    const { work, begun } = workFor(0)
    const { ask } = rested(60, 400, () => void work())
    // A key that is held down: 33 times in a second.
    for (let at = 0; at < 990; at += 30) {
      ask()
      await pass(30)
    }
    await pass(1000)
    expect(begun).toEqual([400, 820, 1020])
  })

  it('is never done when it is stopped, whoever asks later', async () => {
    const { work, begun } = workFor(0)
    const { ask, stop } = rested(60, 400, () => void work())
    ask()
    stop()
    await pass(1000)
    ask()
    await pass(1000)
    expect(begun).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
