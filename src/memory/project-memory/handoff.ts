import { Refusal } from '../../domain/rules/refusal.ts'
import { decodeText } from '../decode.ts'
import { headingOf, readDocument } from '../session-files/markdown.ts'
import { agentName, goalPath, PERSON, places } from './names.ts'
import { alone, changedAt, foldersIn, named, type ProjectPlace, writeAt } from './store.ts'
import { addEntry, type TimelineEntry } from './timeline.ts'
import { addEvent, type WorkingEvent } from './working-log.ts'

interface Handoff {
  readonly from: string
  readonly to: string
  readonly path: string
  /** Required sections that the goal lacks. */
  readonly missing: readonly GoalPart[]
}

/**
 * Hands over to an agent: writes the goal, the timeline's entry and the event. An agent may hand over only its own
 * work.
 */
export const handOff = (
  place: ProjectPlace,
  { from, to, goal }: { readonly from: string; readonly to: string; readonly goal: string },
  writer: string,
): Handoff => {
  const path = goalPath(to)
  if (from !== PERSON) agentName(from)
  if (writer !== PERSON && writer !== from)
    throw new Refusal('not_owner', `Only ${from} may hand over its work; you are ${writer}.`)
  if (goal.trim() === '')
    throw new Refusal(
      'invalid_input',
      `A goal for ${to} is required; write the sections Current state, Open question, Context, Constraints and Success criteria.`,
    )
  named(() => decodeText(Buffer.from(goal), path))
  return alone(place, () => {
    writeAt(place, path, goal)
    addEntry(place, { at: place.clock(), agent: from, title: `Hand-off to ${to}`, notes: [`artifact: ${path}`] })
    addEvent(place, { type: 'handoff', from, to, artifact: path })
    return { from, to, path, missing: missingParts(parseGoal(goal)) }
  })
}

/** Incomplete hand-offs, one sentence each with the path of the goal. */
export const handoffProblems = (
  place: ProjectPlace,
  events: readonly WorkingEvent[],
  entries: readonly TimelineEntry[],
): readonly { readonly path: string; readonly problem: string }[] => {
  const goals = goalsOf(place)
  const logged = new Set(
    events.flatMap((event) => (event.type === 'handoff' && typeof event['to'] === 'string' ? [event['to']] : [])),
  )
  const told = new Set(entries.flatMap(({ title }) => /^hand-?off to ([A-Za-z0-9_-]+)/i.exec(title)?.[1] ?? []))
  const summary = changedAt(place, places.summary)
  return [...new Set([...goals.keys(), ...logged, ...told])].sort().flatMap((to) => {
    const path = `${places.agents}/${to}/goal.md`
    const goal = goals.get(to)
    const missing = [
      ...(goal === undefined ? ['its goal.md is missing.'] : []),
      ...(goal !== undefined && (summary === undefined || summary < goal)
        ? [`${places.summary} is not newer than the goal; update it.`]
        : []),
      ...(told.has(to) || entries.some((entry) => tells(entry, to))
        ? []
        : [`${places.timeline} has no entry 'Hand-off to ${to}'.`]),
      ...(logged.has(to) ? [] : ['no working log has the event handoff.']),
    ]
    return missing.map((what) => ({ path, problem: `the hand-off to ${to} is incomplete: ${what}` }))
  })
}

/** True for an entry that was worded freely, such as `Handoff: claude → chatgpt`. */
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

/** The parts of a hand-off for the next agent. */
export const goalParts = ['Current state', 'Open question', 'Context', 'Constraints', 'Success criteria'] as const
type GoalPart = (typeof goalParts)[number]

/** `goal.md`: the source below each of its headings. The file itself is stored as its author wrote it. */
interface Goal {
  readonly parts: Readonly<Partial<Record<GoalPart, string>>>
}

/** Sections of two levels; repeated headings are merged. */
export const parseGoal = (text: string): Goal => {
  const lines = text.split('\n')
  const headings = readDocument(text).blocks.filter((block) => block.kind === 'heading' && headingOf(block).depth <= 2)
  const parts: Partial<Record<GoalPart, string>> = {}
  for (const [at, heading] of headings.entries()) {
    const body = lines.slice(heading.line, (headings[at + 1]?.line ?? lines.length + 1) - 1).join('\n')
    const part = goalParts.find((one) => plural(one) === plural(headingOf(heading).text.replace(/[*_:]/g, '')))
    if (part !== undefined) parts[part] = [parts[part] ?? '', trimmed(body)].filter((text) => text !== '').join('\n\n')
  }
  return { parts }
}

/** The parts that are missing or empty. */
export const missingParts = ({ parts }: Goal): readonly GoalPart[] =>
  goalParts.filter((part) => (parts[part] ?? '') === '')

/** Treats singular and plural headings as equal. */
const plural = (title: string): string => title.trim().toLowerCase().replace(/s$/, '')

const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
