import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The heap must have grown by so much since the last time (bytes), and so long lie between two times (ms). */
const limits = { growth: 32 * 1024 ** 2, pause: 60_000 } as const

/**
 * Gives back what the beginning and large reads have left behind; to be called while nobody waits, since it takes some 80 ms.
 * Node grows its young generation to 64 MB while a program loads, and takes it back only at a collection that a process with
 * nothing to do never comes to (measured: 156 → 121 MB). Where Node gives no way, all stays as it is.
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

/** By V8's own function for it, which a context has that is made while this flag is set. The last resort is the one that also makes the young generation small. */
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
