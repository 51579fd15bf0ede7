import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { throttled, repeat, debounced } from '../../../src/ui/core/timers.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // A faked setImmediate takes a millisecond.
  vi.stubGlobal('setImmediate', queueMicrotask)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

/** Work that lasts `ms`, and the moments at which it started; it reports an overlap. */
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

describe('throttled work', () => {
  it('starts with the first request, and runs once for several requests', async () => {
    const { work, begun } = workFor(0)
    const { ask } = throttled(100, work)
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

  it('that has failed is tried again a second later, and after as long as it took', async () => {
    const failing = workFor(3000)
    let times = 0
    const { ask, stop } = throttled(100, async () => {
      await failing.work()
      return ++times > 2
    })
    ask()
    await pass(30_000)
    expect(failing.begun).toEqual([0, 6000, 12_000])
    const quick = workFor(0)
    const { ask: askQuick, stop: stopQuick } = throttled(100, async () => {
      await quick.work()
      return false
    })
    askQuick()
    await pass(2500)
    stopQuick()
    await pass(5000)
    expect(quick.begun).toEqual([0, 1000, 2000])
    stop()
  })

  it('takes at most its share of the time', async () => {
    const { work, begun } = workFor(250)
    const { ask } = throttled(100, work, 0.2)
    for (let time = 0; time < 30; time++) {
      ask()
      await pass(100)
    }
    expect(begun).toEqual([0, 1250, 2500])
  })

  it('runs once more if it was requested while it ran, and never twice at a time', async () => {
    const { work, begun } = workFor(250)
    const { ask } = throttled(100, work)
    ask()
    await pass(10)
    for (let time = 0; time < 3; time++) ask()
    await pass(1000)
    // A later request is not part of a run in progress; the interval counts from its start, so the next run follows at
    // once, which for a timer is a millisecond.
    expect(begun).toEqual([0, 251])
  })

  it('runs at once when it is hurried, after a run in progress', async () => {
    const { work, begun } = workFor(20)
    const { ask, hurry, stop } = throttled(100, work)
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

  it('ends when it is stopped: before its time, while it runs, and for all later requests', async () => {
    const waiting = workFor(0)
    const before = throttled(100, waiting.work)
    before.ask()
    before.stop()
    const long = workFor(50)
    const during = throttled(100, long.work)
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

describe('repeated work', () => {
  it('starts now, and then at each multiple that leaves half of the interval between an end and a start', async () => {
    const [short, long] = [workFor(30), workFor(60)]
    const stops = [repeat(100, short.work), repeat(100, long.work)]
    await pass(400)
    expect([short.begun, long.begun]).toEqual([
      [0, 100, 200, 300, 400],
      [0, 200, 400],
    ])
    stops.forEach((stop) => stop())
  })

  it('wakes once for everything that is due, whenever each was started and however long it takes', async () => {
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

  it('sets no timer in the past, however long its work blocks, because Node would print a warning over the screen', async () => {
    const asked = vi.spyOn(globalThis, 'setTimeout')
    const now = performance.now.bind(performance)
    let late = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + late)
    const stops = [
      // Nothing else runs while it works.
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

  it('starts later on request', async () => {
    const { work, begun } = workFor(0)
    const stop = repeat(100, work, 700)
    await pass(900)
    expect(begun).toEqual([700, 800, 900])
    stop()
  })

  it('ends when it is stopped: while it waits, while it runs and before it started', async () => {
    const [waits, runs, later] = [workFor(0), workFor(50), workFor(0)]
    const stops = [repeat(100, waits.work), repeat(100, runs.work), repeat(100, later.work, 10)]
    await pass(5)
    stops.forEach((stop) => stop())
    await pass(1000)
    expect([waits.begun, runs.begun, later.begun]).toEqual([[0], [0], []])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('debounced work', () => {
  it('runs once, after a pause without requests', async () => {
    const { work, begun } = workFor(0)
    const { ask } = debounced(60, 400, () => void work())
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

  it('runs after a maximum delay, however often it is requested, and then starts to wait again', async () => {
    const { work, begun } = workFor(0)
    const { ask } = debounced(60, 400, () => void work())
    // A key that is held down: 33 times in a second.
    for (let at = 0; at < 990; at += 30) {
      ask()
      await pass(30)
    }
    await pass(1000)
    expect(begun).toEqual([400, 820, 1020])
  })

  it('never runs after it is stopped, whatever is requested later', async () => {
    const { work, begun } = workFor(0)
    const { ask, stop } = debounced(60, 400, () => void work())
    ask()
    stop()
    await pass(1000)
    ask()
    await pass(1000)
    expect(begun).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
