import { channel } from 'node:diagnostics_channel'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type GaugeReading, type LockWaits, type Spread, unmeasured } from './reading.ts'

// The console measures the duration of a key, a refresh and a frame.

/** Always measures, because that costs very little; only event loop delays are measured on request. */
export interface Meter {
  /** Called when input arrives, before its keys are processed. */
  readonly keyArrived: () => void
  /** Standard output whose frames and bytes are counted. */
  readonly measured: (stdout: NodeJS.WriteStream) => NodeJS.WriteStream
  /** Runs `work` and records its duration. */
  readonly refreshing: (work: () => Promise<void>) => () => Promise<void>
  /** The measurements so far; bytes per second since the last read. */
  readonly read: () => GaugeReading
  /** The next read starts a new series. */
  readonly rest: () => void
  readonly stop: () => void
}

/** The number of latest keys and refreshes for p50 and p99. */
const KEPT = 1000

/**
 * A key without an effect on the screen causes no frame; the next frame of the clock must not count as its answer. A
 * key's frame is written within some 10 ms if nothing delays it (ms).
 */
const ANSWERED_WITHIN = 50

/** A timer that is so late was delayed, and the frame with it (ms). */
const LATE = 20

type Delays = ReturnType<typeof monitorEventLoopDelay>

const childProcess = channel('child_process')

export const makeMeter = (waits: () => LockWaits): Meter => {
  // In one piece because a key, the frame that answers it and what holds both up are read off one clock.
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
      // Of two keys with one frame, the first has waited longer.
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

/** Converts Node's nanoseconds, and subtracts the sampling interval. */
const millisecondsOf = (histogram: Delays): GaugeReading['heldUp'] => ({
  p99: Math.max(0, histogram.percentile(99) / 1e6 - 20),
  longest: Math.max(0, histogram.max / 1e6 - 20),
})

/** The latest durations (ms); the newest replaces the oldest. */
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
