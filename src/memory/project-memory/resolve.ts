import { Refusal } from '../../domain/rules/refusal.ts'
import { allAdrs, findAdr, statusOfAdr } from './adrs.ts'
import { places } from './names.ts'
import { ownersOf } from './owners.ts'
import { changedAt, filesIn, type ProjectPlace, textAt } from './store.ts'
import { parseTimeline } from './timeline.ts'

/** The value that one source states for a subject. */
export interface Statement {
  /** 1 takes precedence: summary.md, accepted decisions, the timeline, session logs, drafts. */
  readonly rank: number
  readonly path: string
  readonly line: number
  readonly value: string
}

export interface Resolution {
  readonly subject: string
  readonly answer: Statement
  /** Contradicting sources, and which of the two takes precedence. */
  readonly conflicts: readonly { readonly counts: Statement; readonly against: Statement; readonly sentence: string }[]
}

/**
 * The valid value for a subject, which sources state in lines `- SUBJECT: value`. The source of the highest rank
 * answers; contradicting ones are named.
 */
export const resolveSubject = (place: ProjectPlace, given: string): Resolution => {
  const subject = given.trim().replace(/\s+/g, ' ')
  if (subject === '') throw new Refusal('invalid_input', 'A subject is required, such as storage.')
  const statuses = statusConflicts(place, subject)
  if (statuses) return statuses
  const [answer, ...others] = statementsOn(place, subject)
  if (!answer) throw new Refusal('not_found', `No source has a line '- ${subject}: …'.`)
  const against = others.filter(({ value }) => value.toLowerCase() !== answer.value.toLowerCase())
  return {
    subject,
    answer,
    conflicts: against.map((other) => ({ counts: answer, against: other, sentence: sentenceOf(answer, other) })),
  }
}

/** The answer, followed by every conflict with both of its sources. */
export const resolutionText = ({ answer, conflicts }: Resolution): string =>
  [answer.value, ...conflicts.map(({ sentence }) => `conflict: ${sentence}`)].join('\n')

/**
 * The statements about the status of a decision (`- ADR-005: Accepted`), including its own file and the graph;
 * undefined if the subject is not a decision, or if no source states its status.
 */
export const statusConflicts = (place: ProjectPlace, subject: string): Resolution | undefined => {
  const id = /^adr-\d{1,6}$/i.test(subject) ? subject.toUpperCase() : undefined
  if (id === undefined || statusOfAdr(place, id) === null) return undefined
  const adr = findAdr(place, id)
  const inGraph = adr.node !== null && adr.node.status !== adr.file?.status
  const own: Statement = {
    rank: adr.status === 'Draft' ? 5 : 2,
    path: inGraph ? places.decisions : adr.path,
    line: (inGraph ? adr.node?.line : adr.file?.statusAt?.line) ?? 1,
    value: adr.status,
  }
  const said = [
    ...lastIn(place, places.summary, 1, adr.id),
    ...inTimeline(place, adr.id),
    ...logsIn(place).flatMap((path) => lastIn(place, path, 4, adr.id)),
  ]
  const statements = [...said.filter(({ value }) => statusIn(value) !== undefined), own].sort((a, b) => a.rank - b.rank)
  const [answer, ...others] = statements as [Statement, ...Statement[]]
  const against = others.filter(({ value }) => statusIn(value) !== statusIn(answer.value))
  return {
    subject: adr.id,
    answer,
    conflicts: against.map((other) => ({ counts: answer, against: other, sentence: sentenceOf(answer, other) })),
  }
}

/** The status at the beginning of a value. */
const statusIn = (value: string): string | undefined => {
  const word = /^\W*(draft|proposed|accepted|superseded|rejected|deprecated|withdrawn)\b/i
    .exec(value)?.[1]!
    .toLowerCase()
  return word === 'proposed' ? 'draft' : word
}

/** The most recently written one first. */
const logsIn = (place: ProjectPlace): readonly string[] =>
  [...filesIn(place, places.sessions)]
    .filter((path) => path.endsWith('.md'))
    .sort((a, b) => changedAt(place, b)! - changedAt(place, a)!)

/** One statement per source, the one that takes precedence first. */
const statementsOn = (place: ProjectPlace, subject: string): readonly Statement[] => {
  // Of decisions of one rank the newer takes precedence.
  const adrs = [...allAdrs(place)].reverse().filter(({ file }) => file)
  return [
    ...lastIn(place, places.summary, 1, subject),
    ...adrs.filter(({ status }) => status === 'Accepted').flatMap(({ path }) => lastIn(place, path, 2, subject)),
    ...inTimeline(place, subject),
    ...logsIn(place).flatMap((path) => lastIn(place, path, 4, subject)),
    ...adrs.filter(({ status }) => status === 'Draft').flatMap(({ path }) => lastIn(place, path, 5, subject)),
  ]
}

/** The last statement; for a topic with an owner, the owner's last one. */
const inTimeline = (place: ProjectPlace, subject: string): readonly Statement[] => {
  const { entries } = parseTimeline(textAt(place, places.timeline) ?? '')
  const said = entries.flatMap(({ line, lines, agent }) =>
    statementsIn(lines, subject).map((one) => ({
      agent,
      rank: 3,
      path: places.timeline,
      line: line + one.at,
      value: one.value,
    })),
  )
  const owners = ownersOf(place, subject)
  const counts = said.findLast(({ agent }) => owners.includes(agent)) ?? said.at(-1)
  return counts ? [{ rank: counts.rank, path: counts.path, line: counts.line, value: counts.value }] : []
}

const lastIn = (place: ProjectPlace, path: string, rank: number, subject: string): readonly Statement[] => {
  const last = statementsIn((textAt(place, path) ?? '').split('\n'), subject).at(-1)
  return last ? [{ rank, path, line: last.at + 1, value: last.value }] : []
}

/** `- Subject: value`, ignoring case, with or without `**` around the subject. */
const statementsIn = (
  lines: readonly string[],
  subject: string,
): readonly { readonly at: number; readonly value: string }[] => {
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

const sentenceOf = (counts: Statement, against: Statement): string =>
  `${said(counts)}, ${said(against)}; the first one takes precedence.`

const said = ({ path, line, value, rank }: Statement): string =>
  `${path}:${line} (rank ${rank}) says ${JSON.stringify(value)}`
