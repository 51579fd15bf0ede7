import { Refusal } from '../../domain/refusal.ts'
import { allAdrs } from './adrs.ts'
import { places } from './names.ts'
import { ownersOf } from './owners.ts'
import { changedAt, filesIn, type ProjectPlace, textAt } from './place.ts'
import { parseTimeline } from './timeline.ts'

/** What one source says of a subject. */
export interface Statement {
  /** 1 counts most: summary.md, accepted decisions, the timeline, session logs, drafts. */
  readonly rank: number
  readonly path: string
  readonly line: number
  readonly value: string
}

export interface Resolution {
  readonly subject: string
  readonly answer: Statement
  /** Sources that say something else, and which of the two counts. */
  readonly conflicts: readonly { readonly counts: Statement; readonly against: Statement; readonly sentence: string }[]
}

/** What holds of a subject, of which sources speak in lines `- SUBJECT: value`. The source of the highest rank answers; others that differ are named. */
export const resolveSubject = (place: ProjectPlace, given: string): Resolution => {
  const subject = given.trim().replace(/\s+/g, ' ')
  if (subject === '') throw new Refusal('invalid_input', 'A subject was expected, such as storage.')
  const [answer, ...others] = statementsOn(place, subject)
  if (!answer) throw new Refusal('not_found', `No source says anything of it in a line '- ${subject}: …'.`)
  const against = others.filter(({ value }) => value.toLowerCase() !== answer.value.toLowerCase())
  return { subject, answer, conflicts: against.map((other) => ({ counts: answer, against: other, sentence: sentenceOf(answer, other) })) }
}

/** The answer and, below it, every conflict with both of its sources. */
export const resolutionText = ({ answer, conflicts }: Resolution): string => [answer.value, ...conflicts.map(({ sentence }) => `conflict: ${sentence}`)].join('\n')

/** One statement a source, the one that counts first. */
const statementsOn = (place: ProjectPlace, subject: string): readonly Statement[] => {
  // Of decisions of one rank the younger counts, of session logs the one that was written last.
  const adrs = [...allAdrs(place)].reverse().filter(({ file }) => file)
  const logs = [...filesIn(place, places.sessions)].filter((path) => path.endsWith('.md')).sort((a, b) => changedAt(place, b)! - changedAt(place, a)!)
  return [
    ...lastIn(place, places.summary, 1, subject),
    ...adrs.filter(({ status }) => status === 'Accepted').flatMap(({ path }) => lastIn(place, path, 2, subject)),
    ...inTimeline(place, subject),
    ...logs.flatMap((path) => lastIn(place, path, 4, subject)),
    ...adrs.filter(({ status }) => status === 'Draft').flatMap(({ path }) => lastIn(place, path, 5, subject)),
  ]
}

/** What was said last; of a topic that somebody owns, what its owner said last. */
const inTimeline = (place: ProjectPlace, subject: string): readonly Statement[] => {
  const { entries } = parseTimeline(textAt(place, places.timeline) ?? '')
  const said = entries.flatMap(({ line, lines, agent }) =>
    statementsIn(lines, subject).map((one) => ({ agent, rank: 3, path: places.timeline, line: line + one.at, value: one.value })),
  )
  const owners = ownersOf(place, subject)
  const counts = said.findLast(({ agent }) => owners.includes(agent)) ?? said.at(-1)
  return counts ? [{ rank: counts.rank, path: counts.path, line: counts.line, value: counts.value }] : []
}

const lastIn = (place: ProjectPlace, path: string, rank: number, subject: string): readonly Statement[] => {
  const last = statementsIn((textAt(place, path) ?? '').split('\n'), subject).at(-1)
  return last ? [{ rank, path, line: last.at + 1, value: last.value }] : []
}

/** `- Subject: value`, in any case, with or without `**` around the subject. */
const statementsIn = (lines: readonly string[], subject: string): readonly { readonly at: number; readonly value: string }[] => {
  const wanted = subject.toLowerCase()
  return lines.flatMap((line, at) => {
    const text = /^\s*[-*+]\s/.test(line)
      ? line
          .trimStart()
          .slice(2)
          .replace(/\*\*|__/g, '')
          .trimStart()
      : ''
    if (!text.toLowerCase().startsWith(wanted)) return []
    const rest = text.slice(wanted.length).trimStart()
    const value = rest.startsWith(':') ? rest.slice(1).trim() : ''
    return value === '' ? [] : [{ at, value }]
  })
}

const sentenceOf = (counts: Statement, against: Statement): string => `${said(counts)}, ${said(against)}; the first counts.`

const said = ({ path, line, value, rank }: Statement): string => `${path}:${line} (rank ${rank}) says ${JSON.stringify(value)}`
