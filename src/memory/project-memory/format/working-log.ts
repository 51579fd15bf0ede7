import { FormatError } from '../../session-files/format-error.ts'
import { type JsonObject, parseJsonObject } from './json-text.ts'
import { momentOf } from './moment.ts'

/** One line of `working-{phase}.jsonl`: `timestamp`, `type`, and the fields of the type. */
export interface WorkingEvent extends JsonObject {
  readonly timestamp: string
  readonly type: string
}

export interface ReadEvent {
  readonly event: WorkingEvent
  /** From 1. */
  readonly line: number
}

export interface WorkingLog {
  readonly events: readonly ReadEvent[]
  /** Lines that are not events. */
  readonly problems: readonly FormatError[]
}

/** Parses every line that is an event and reports the others; the file stays unchanged. */
export const parseWorkingLog = (text: string, file: string): WorkingLog => {
  const events: ReadEvent[] = []
  const problems: FormatError[] = []
  for (const [at, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue
    try {
      events.push({ event: eventOf(source, file, at + 1), line: at + 1 })
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      problems.push(error)
    }
  }
  return { events, problems }
}

/** An event as the line to append. */
export const renderEvent = (event: WorkingEvent): string => `${JSON.stringify(event)}\n`

const eventOf = (source: string, file: string, line: number): WorkingEvent => {
  const event = parseJsonObject(source, file, line)
  if (typeof event['timestamp'] !== 'string' || momentOf(event['timestamp']) === undefined) {
    throw new FormatError(file, line, "the key 'timestamp' is not a time; write it like 2026-01-04T01:05:00.000Z.")
  }
  if (typeof event['type'] !== 'string' || event['type'] === '')
    throw new FormatError(file, line, "the key 'type' is missing.")
  return event as WorkingEvent
}
