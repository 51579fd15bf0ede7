import { clockTime, type Instant } from '../words/time.ts'

/** Observations of a process. */
export interface ProcessSeen {
  /** Per cent of a core; null if it was observed only once. */
  readonly cpu: number | null
  /** When its output last grew. */
  readonly lastOutput: Instant | null
}

/** `process alive, CPU 0 %, last output 14:02`; empty if it was not observed. */
export const processWords = (seen: ProcessSeen | null | undefined): readonly string[] => {
  if (seen === undefined) return []
  if (seen === null) return ['no process']
  return [
    'process alive',
    ...(seen.cpu === null ? [] : [`CPU ${Math.round(seen.cpu)}%`]),
    seen.lastOutput === null ? 'no output yet' : `last output ${clockTime(seen.lastOutput).slice(0, 5)}`,
  ]
}
