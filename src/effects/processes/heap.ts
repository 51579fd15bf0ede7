import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The minimal growth of the heap since the last collection (bytes), and the shortest time between two (ms). */
const limits = { growth: 32 * 1024 ** 2, pause: 60_000 } as const

/**
 * Returns memory left over from startup and large reads to the system; to be called while no person waits, since it
 * takes some 80 ms. Node grows its young generation to 64 MB while a program loads, and shrinks it only at a collection
 * that an idle process never reaches (measured: 156 → 121 MB). Does nothing if Node offers no collector.
 */
export const memoryReturner = (collect: () => void = collectAll): (() => void) => {
  let [before, least] = [-Infinity, 0]
  return () => {
    const now = performance.now()
    if (now - before < limits.pause || process.memoryUsage().heapTotal - least < limits.growth) return
    before = now
    collect()
    least = process.memoryUsage().heapTotal
  }
}

type Collector = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

let collector: Collector | undefined

/**
 * V8's own function, available in a context that is created while this flag is set. The last-resort collection is the
 * one that also shrinks the young generation.
 */
const collectAll = (): void => {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    try {
      collector = runInNewContext('globalThis.gc ?? (() => {})') as Collector
    } finally {
      setFlagsFromString('--no-expose-gc')
    }
  }
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
