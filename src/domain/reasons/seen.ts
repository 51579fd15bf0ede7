import { clockTime, type Instant } from '../time.ts'

/** What a process was seen to do. */
export interface ProcessSeen {
  /** Per cent of a core; null where it was looked at only once. */
  readonly cpu: number | null
  /** When its output grew last. */
  readonly lastOutput: Instant | null
}

/** `process alive, CPU 0 %, last output 14:02`; nothing where nobody looked. */
export const processWords = (seen: ProcessSeen | null | undefined): readonly string[] => {
  if (seen === undefined) return []
  if (seen === null) return ['no process']
  return [
    'process alive',
    ...(seen.cpu === null ? [] : [`CPU ${Math.round(seen.cpu)} %`]),
    seen.lastOutput === null ? 'no output yet' : `last output ${clockTime(seen.lastOutput).slice(0, 5)}`,
  ]
}

/** A duration that changes once a minute at most: what is told by it is not drawn anew every second. */
export const coarse = (ms: number, duration: (ms: number) => string): string => (ms < 60_000 ? '<1m' : duration(ms).replace(/(?<=m)\d\d$/, ''))
