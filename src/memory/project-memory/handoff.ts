import { Refusal } from '../../domain/refusal.ts'
import { decodeText } from '../session-files/decode.ts'
import { type GoalPart, missingParts, parseGoal } from './goal.ts'
import { agentName, goalPath, PERSON, places } from './names.ts'
import { alone, changedAt, foldersIn, named, type ProjectPlace, writeAt } from './place.ts'
import { addEntry, addEvent } from './record.ts'
import type { TimelineEntry } from './timeline.ts'
import type { WorkingEvent } from './working-log.ts'

export interface Handoff {
  readonly from: string
  readonly to: string
  readonly path: string
  /** Sections that the goal does not have. */
  readonly missing: readonly GoalPart[]
}

/** Hands over to an agent: its goal, the timeline's entry and the event. An agent hands over only what is its own to hand over. */
export const handOff = (place: ProjectPlace, { from, to, goal }: { readonly from: string; readonly to: string; readonly goal: string }, writer: string): Handoff => {
  const path = goalPath(to)
  if (from !== PERSON) agentName(from)
  if (writer !== PERSON && writer !== from) throw new Refusal('not_owner', `${from} hands over its own work, and you are ${writer}.`)
  if (goal.trim() === '')
    throw new Refusal('invalid_input', `A goal for ${to} was expected; write the sections Current state, Open question, Context, Constraints and Success criteria.`)
  named(() => decodeText(Buffer.from(goal), path))
  return alone(place, () => {
    writeAt(place, path, goal)
    addEntry(place, { at: place.clock(), agent: from, title: `Hand-off to ${to}`, notes: [`artifact: ${path}`] })
    addEvent(place, { type: 'handoff', from, to, artifact: path })
    return { from, to, path, missing: missingParts(parseGoal(goal)) }
  })
}

/** What is missing of the hand-offs that were begun, a sentence each with the path of its goal. */
export const handoffProblems = (
  place: ProjectPlace,
  events: readonly WorkingEvent[],
  entries: readonly TimelineEntry[],
): readonly { readonly path: string; readonly problem: string }[] => {
  const goals = goalsOf(place)
  const logged = new Set(events.flatMap((event) => (event.type === 'handoff' && typeof event['to'] === 'string' ? [event['to']] : [])))
  const told = new Set(entries.flatMap(({ title }) => /^hand-?off to ([A-Za-z0-9_-]+)/i.exec(title)?.[1] ?? []))
  const summary = changedAt(place, places.summary)
  return [...new Set([...goals.keys(), ...logged, ...told])].sort().flatMap((to) => {
    const path = `${places.agents}/${to}/goal.md`
    const goal = goals.get(to)
    const missing = [
      ...(goal === undefined ? ['its goal.md is missing.'] : []),
      ...(goal !== undefined && (summary === undefined || summary < goal) ? [`${places.summary} is not newer than the goal; bring it up to date.`] : []),
      ...(told.has(to) || entries.some((entry) => tells(entry, to)) ? [] : [`${places.timeline} has no entry 'Hand-off to ${to}'.`]),
      ...(logged.has(to) ? [] : ['no working log has the event handoff.']),
    ]
    return missing.map((what) => ({ path, problem: `the hand-off to ${to} is incomplete: ${what}` }))
  })
}

/** True for an entry that somebody wrote in words of their own, such as `Handoff: claude → chatgpt`. */
const tells = ({ title, notes }: TimelineEntry, to: string): boolean =>
  /hand-?(?:off|over)/i.test(title) && [title, ...notes].some((text) => text.split(/[^A-Za-z0-9_-]+/).includes(to))

/** When each goal was last written, by agent. */
const goalsOf = (place: ProjectPlace): ReadonlyMap<string, number> =>
  new Map(
    foldersIn(place, places.agents).flatMap((agent) => {
      const changed = changedAt(place, `${places.agents}/${agent}/goal.md`)
      return changed === undefined ? [] : [[agent, changed]]
    }),
  )
