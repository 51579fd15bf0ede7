import { channel } from 'node:diagnostics_channel'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type GaugeReading, type LockWaits, type Spread, unmeasured } from './state.ts'

// The console measures itself: what a key, a look at the database and a frame cost here and now.

/** Measures always, since that costs next to nothing; only how long everything was held up is watched for while the gauge is read. */
export interface Meter {
  /** Input has come, and what it presses is done at once. */
  readonly keyArrived: () => void
  /** Standard output whose frames and bytes are counted. */
  readonly measured: (stdout: NodeJS.WriteStream) => NodeJS.WriteStream
  /** Does `work` and remembers how long it took. */
  readonly refreshing: (work: () => Promise<void>) => () => Promise<void>
  /** What was measured until now; bytes per second since the last reading. */
  readonly read: () => GaugeReading
  /** The next reading is the first of a row. */
  readonly rest: () => void
  readonly stop: () => void
}

/** Keys and refreshes that p50 and p99 are of: the latest. */
const KEPT = 1000

/**
 * A key that changes nothing on the screen is answered by no frame; the next one, of the clock, must not be taken for its
 * answer. Frames of a key are written within some 10 ms where nothing holds them up (ms).
 */
const ANSWERED_WITHIN = 50

/** A timer that comes so late was held up, and the frame with it (ms). */
const LATE = 20

type Delays = ReturnType<typeof monitorEventLoopDelay>

const childProcess = channel('child_process')

export const makeMeter = (waits: () => LockWaits): Meter => {
  const keys = makeSamples()
  const refreshes = makeSamples()
  let bytes = 0
  let started = 0
  let pressed: number | undefined
  let last: { readonly at: number; readonly bytes: number } | undefined
  let heldUp: Delays | undefined
  const onStart = (): void => void started++
  childProcess.subscribe(onStart)

  const forget = (key: number, due: number): void => {
    const timer = setTimeout(
      () => {
        if (pressed !== key) return
        if (performance.now() - due > LATE) forget(key, performance.now() + LATE)
        else pressed = undefined
      },
      Math.max(0, due - performance.now()),
    )
    timer.unref()
  }
  const written = (chunk: unknown): void => {
    bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk instanceof Uint8Array ? chunk.length : 0
    if (pressed !== undefined) keys.add(performance.now() - pressed)
    pressed = undefined
  }
  return {
    keyArrived: () => {
      // Of two keys that one frame answers, the first has waited longer.
      if (pressed !== undefined) return
      pressed = performance.now()
      forget(pressed, pressed + ANSWERED_WITHIN)
    },
    measured: (stdout) =>
      new Proxy(stdout, {
        get: (target, property) => {
          const value: unknown = Reflect.get(target, property, target)
          if (typeof value !== 'function') return value
          if (property !== 'write') return value.bind(target) as unknown
          return (...words: Parameters<typeof stdout.write>) => {
            const room = target.write(...words)
            written(words[0])
            return room
          }
        },
      }),
    refreshing: (work) => async () => {
      const began = performance.now()
      await work()
      refreshes.add(performance.now() - began)
    },
    read: () => {
      const at = performance.now()
      if (!heldUp) (heldUp = monitorEventLoopDelay({ resolution: 20 })).enable()
      const reading: GaugeReading = {
        keys: keys.spread(),
        refreshes: refreshes.spread(),
        bytes: { all: bytes, perSecond: last ? ((bytes - last.bytes) * 1000) / Math.max(1, at - last.at) : 0 },
        waits: waits(),
        own: { running: process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length, started },
        heldUp: last ? millisecondsOf(heldUp) : unmeasured.heldUp,
      }
      last = { at, bytes }
      return reading
    },
    rest: () => {
      heldUp?.disable()
      heldUp = undefined
      last = undefined
    },
    stop: () => {
      heldUp?.disable()
      childProcess.unsubscribe(onStart)
    },
  }
}

/** Node counts in nanoseconds, and its own rest between two looks with them. */
const millisecondsOf = (histogram: Delays): GaugeReading['heldUp'] => ({
  p99: Math.max(0, histogram.percentile(99) / 1e6 - 20),
  longest: Math.max(0, histogram.max / 1e6 - 20),
})

/** The latest durations (ms), the oldest making room for the newest. */
const makeSamples = (): { readonly add: (ms: number) => void; readonly spread: () => Spread } => {
  const ring: number[] = []
  let count = 0
  return {
    add: (ms) => void (ring[count++ % KEPT] = ms),
    spread: () => {
      const sorted = ring.toSorted((a, b) => a - b)
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
      return { count, p50: at(0.5), p99: at(0.99) }
    },
  }
}
