import { basename } from 'node:path'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type Instant, sessionId } from '../../domain/words/time.ts'
import { FormatError } from '../format-error.ts'
import { shown } from '../session-files/values.ts'
import { checkShape, type JsonObject, parseJsonObject } from './json-text.ts'
import { prefixOf, prefixProblem } from './ledger.ts'
import { phaseName, places, workingLogPath } from './names.ts'
import { refuseOtherOwners } from './owners.ts'
import {
  alone,
  appendAt,
  bytesOf,
  filesIn,
  type ProjectPlace,
  readAt,
  readLedger,
  writeAt,
  writeLedger,
} from './store.ts'
import { parsePhases } from './summary.ts'
import { momentOf } from './timeline.ts'

// The working logs of the phases, one event a line, and `file-state.json`, which counts the changes that they
// report.

/** One line of `working-{phase}.jsonl`: `timestamp`, `type`, and the fields of the type. */
export interface WorkingEvent extends JsonObject {
  readonly timestamp: string
  readonly type: string
}

export interface EventDraft {
  readonly type: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
  readonly phase?: string | undefined
}

/** Adds an event to the working log of a phase; counts a file change in `file-state.json` too. */
export const logEvent = (place: ProjectPlace, { type, fields, phase }: EventDraft, writer: string): WorkingEvent => {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,49}$/.test(type))
    throw new Refusal(
      'invalid_input',
      `${shown(type)} is not an event type; use letters, digits, - and _, such as verification.`,
    )
  for (const key of Object.keys(fields)) {
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,49}$/.test(key))
      throw new Refusal('invalid_input', `${shown(key)} is not an event key; use letters, digits, - and _.`)
    if (['timestamp', 'type', 'agent'].includes(key))
      throw new Refusal('invalid_input', `aiswarm sets the key ${key}; leave it out.`)
  }
  const name = phase === undefined ? undefined : phaseName(phase)
  refuseOtherOwners(place, type, writer)
  const change = type === 'file_modified' ? changeOf(fields) : undefined
  return alone(place, () => {
    if (change) {
      const state = readAt(place, places.fileState, parseFileState) ?? emptyFileState(sessionId(place.clock()))
      writeAt(place, places.fileState, renderFileState(withChange(state, change.path, change, place.clock())))
    }
    return addEvent(place, { type, ...fields, ...change, agent: writer }, name)
  })
}

/**
 * Adds an event to the log of a phase, by default the one in progress, and records the new content, unless the file was
 * changed by hand before. The caller holds the lock.
 */
export const addEvent = (
  place: ProjectPlace,
  event: Readonly<Record<string, unknown>> & { readonly type: string },
  phase?: string,
): WorkingEvent => {
  const { type, ...rest } = event
  const written: WorkingEvent = { timestamp: place.clock(), type, ...rest }
  const path = workingLogPath(phase ?? currentPhase(place))
  const ledger = readLedger(place)
  const sound = prefixProblem(ledger.logs?.[path], bytesOf(place, path) ?? Buffer.alloc(0)) === undefined
  appendAt(place, path, renderEvent(written))
  if (sound) writeLedger(place, { ...ledger, logs: { ...ledger.logs, [path]: prefixOf(bytesOf(place, path)!) } })
  return written
}

/** The first phase in progress in `summary.md`. */
const currentPhase = (place: ProjectPlace): string =>
  readAt(place, places.summary, parsePhases)?.find(({ state }) => state === 'In Progress')?.name ?? 'current'

/** `audit.ts (+319), db.ts (+465)` */
export const changedFiles = (place: ProjectPlace): { readonly state: FileState | null; readonly text: string } => {
  const state = readAt(place, places.fileState, parseFileState) ?? null
  return { state, text: state === null ? '' : changesLine(state) }
}

const changeOf = ({
  path,
  added = 0,
  removed = 0,
}: EventDraft['fields']): { readonly path: string; readonly added: number; readonly removed: number } => {
  if (typeof path !== 'string' || path.trim() === '' || path.length > 1000 || /[\r\n]/.test(path))
    throw new Refusal('invalid_input', 'path= is required with the path of the file that was modified.')
  return { path, added: linesOf('added', String(added)), removed: linesOf('removed', String(removed)) }
}

const linesOf = (key: string, text: string): number => {
  if (!/^\+?\d{1,9}$/.test(text)) throw new Refusal('invalid_input', `${key}=${shown(text)} is not a number of lines.`)
  return Number(text)
}

interface ReadEvent {
  readonly event: WorkingEvent
  /** From 1. */
  readonly line: number
}

interface LoggedEvent extends ReadEvent {
  readonly path: string
}

/** Working logs of phases in progress. */
export const workingLogs = (place: ProjectPlace): readonly string[] => logsIn(place, places.sessions)

/** Working logs of completed phases, oldest first. */
export const archivedLogs = (place: ProjectPlace): readonly string[] => logsIn(place, places.archive)

/** Every event of these logs, and the lines that are not events. */
export const readLogs = (
  place: ProjectPlace,
  paths: readonly string[],
): readonly (WorkingLog & { readonly path: string })[] =>
  paths.map((path) => ({ path, ...(readAt(place, path, parseWorkingLog) ?? { events: [], problems: [] }) }))

/** Events of these logs in the order of their times, without lines that cannot be read. */
export const inOrder = (logs: ReturnType<typeof readLogs>): readonly LoggedEvent[] =>
  logs
    .flatMap(({ path, events }) => events.map((event) => ({ path, ...event })))
    .sort((a, b) => momentOf(a.event.timestamp)! - momentOf(b.event.timestamp)!)

const logsIn = (place: ProjectPlace, folder: string): readonly string[] =>
  filesIn(place, folder).filter((path) => /^working-.+\.jsonl$/.test(basename(path)))

interface WorkingLog {
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

/** The changes of one file in the session. */
interface FileChange extends JsonObject {
  readonly added: number
  readonly removed: number
  readonly modified_at: string
}

/** `file-state.json`, with all other keys it has. */
export interface FileState extends JsonObject {
  readonly session: string
  readonly files: Readonly<Record<string, FileChange>>
}

const lines = z.int().min(0)
const change = z.looseObject({ added: lines, removed: lines, modified_at: z.string() })
const shape = z.looseObject({ session: z.string(), files: z.record(z.string(), change) })

export const parseFileState = (text: string, file: string): FileState => {
  const value = parseJsonObject(text, file)
  checkShape(shape, value, text, file)
  return value as unknown as FileState
}

export const renderFileState = (state: FileState): string => `${JSON.stringify(state, null, 2)}\n`

const emptyFileState = (session: string): FileState => ({ session, files: {} })

/** The state with one more change of a file, added to its earlier changes. */
export const withChange = (
  state: FileState,
  path: string,
  { added, removed }: { readonly added: number; readonly removed: number },
  at: Instant,
): FileState => {
  const known = Object.hasOwn(state.files, path) ? state.files[path] : undefined
  return {
    ...state,
    files: {
      ...state.files,
      [path]: {
        ...known,
        added: (known?.added ?? 0) + added,
        removed: (known?.removed ?? 0) + removed,
        modified_at: at,
      },
    },
  }
}

/** `audit.ts (+319), db.ts (+465)`; removed lines are shown if there are any. */
export const changesLine = ({ files }: FileState): string =>
  Object.entries(files)
    .map(([path, { added, removed }]) => `${path} (+${added}${removed === 0 ? '' : `, -${removed}`})`)
    .join(', ')
