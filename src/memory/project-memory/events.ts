import { basename } from 'node:path'
import { momentOf } from './moment.ts'
import { places } from './names.ts'
import { filesIn, named, type ProjectPlace, readAt } from './place.ts'
import { parseWorkingLog, type ReadEvent, type WorkingLog } from './working-log.ts'

export interface LoggedEvent extends ReadEvent {
  readonly path: string
}

/** Working logs of phases under way. */
export const workingLogs = (place: ProjectPlace): readonly string[] => logsIn(place, places.sessions)

/** Working logs of completed phases, oldest first. */
export const archivedLogs = (place: ProjectPlace): readonly string[] => logsIn(place, places.archive)

/** Every event of these logs with what is no event. */
export const readLogs = (place: ProjectPlace, paths: readonly string[]): readonly (WorkingLog & { readonly path: string })[] =>
  paths.map((path) => ({ path, ...(readAt(place, path, parseWorkingLog) ?? { events: [], problems: [] }) }))

/** Events in the order of their times, of all phases. Refuses a line that is none. */
export const allEvents = (place: ProjectPlace): readonly LoggedEvent[] => {
  const logs = readLogs(place, [...archivedLogs(place), ...workingLogs(place)])
  for (const { problems } of logs) if (problems[0]) named(() => raise(problems[0]!))
  return inOrder(logs)
}

/** As `allEvents`, of what can be read. */
export const inOrder = (logs: ReturnType<typeof readLogs>): readonly LoggedEvent[] =>
  logs.flatMap(({ path, events }) => events.map((event) => ({ path, ...event }))).sort((a, b) => momentOf(a.event.timestamp)! - momentOf(b.event.timestamp)!)

const logsIn = (place: ProjectPlace, folder: string): readonly string[] => filesIn(place, folder).filter((path) => /^working-.+\.jsonl$/.test(basename(path)))

const raise = (error: Error): never => {
  throw error
}
