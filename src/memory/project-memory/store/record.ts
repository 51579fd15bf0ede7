import { Refusal } from '../../../domain/rules/refusal.ts'
import { sessionId } from '../../../domain/words/time.ts'
import { manyLines, oneLine, shown } from '../../session-files/values.ts'
import {
  changesLine,
  emptyFileState,
  type FileState,
  parseFileState,
  renderFileState,
  withChange,
} from '../format/file-state.ts'
import { prefixOf, prefixProblem } from '../format/ledger.ts'
import { phaseName, places, workingLogPath } from '../format/names.ts'
import { refuseOtherOwners } from './owners.ts'
import { alone, appendAt, bytesOf, type ProjectPlace, readAt, readLedger, writeAt, writeLedger } from './place.ts'
import { parsePhases } from '../format/summary.ts'
import { renderEntry, type TimelineEntry, timelineHead } from '../format/timeline.ts'
import { renderEvent, type WorkingEvent } from '../format/working-log.ts'

/** Adds an entry to the timeline. `writer` is an agent's id, or that of the person. */
export const appendTimeline = (
  place: ProjectPlace,
  { title, notes }: { readonly title: string; readonly notes: readonly string[] },
  writer: string,
): TimelineEntry => {
  const said = oneLine(title)
  if (said === '' || said.length > 500) throw new Refusal('invalid_input', 'A title must have 1 to 500 characters.')
  if ([title, ...notes].some((text) => text.includes('\0')))
    throw new Refusal('invalid_input', 'A text must not contain NUL characters.')
  return alone(place, () =>
    addEntry(place, {
      at: place.clock(),
      agent: writer,
      title: said,
      notes: notes.map(manyLines).filter((note) => note !== ''),
    }),
  )
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

/** Adds an entry and records the new content, unless the file was changed by hand before. The caller holds the lock. */
export const addEntry = (place: ProjectPlace, entry: TimelineEntry): TimelineEntry => {
  const before = bytesOf(place, places.timeline)
  const ledger = readLedger(place)
  const sound = prefixProblem(ledger.timeline, before ?? Buffer.alloc(0)) === undefined
  appendAt(place, places.timeline, `${before === undefined ? timelineHead : ''}\n${renderEntry(entry)}`)
  if (sound) writeLedger(place, { ...ledger, timeline: prefixOf(bytesOf(place, places.timeline)!) })
  return entry
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
