import { basename } from 'node:path'
import { momentOf } from '../format/moment.ts'
import { places } from '../format/names.ts'
import { filesIn, type ProjectPlace, readAt } from './place.ts'
import { parseWorkingLog, type ReadEvent, type WorkingLog } from '../format/working-log.ts'

export interface LoggedEvent extends ReadEvent {
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
