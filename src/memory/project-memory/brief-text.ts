import { oneLine } from '../session-files/values.ts'
import type { Brief } from './brief.ts'
import { tokensOf } from './compress.ts'
import type { WorkingEvent } from './format/working-log.ts'
import { BRIEF_TOKENS } from './format/limits.ts'

/** The limit of one line of a brief (characters); its source has the rest. */
const LONGEST_LINE = 400

export interface BriefText {
  readonly text: string
  readonly tokens: number
  /** The parts that did not fit, such as `6 of 10 last actions`. */
  readonly leftOut: readonly string[]
}

interface Part {
  readonly title: string
  readonly what: string
  readonly lines: readonly string[]
  /** Its share of the whole budget; all of it by default. */
  readonly share?: number
  /** True if the most important lines are at the end. */
  readonly newestLast?: boolean
}

/**
 * The brief as text of at most so many tokens. The most important parts come first, and omitted parts are named at the
 * end.
 */
export const renderBrief = (brief: Brief, budget = BRIEF_TOKENS): BriefText => {
  const parts = partsOf(brief)
  // Reserves the last line, which names each part at most.
  let left = budget * 4 - 60 - 24 * parts.length
  const taken = parts.map(({ title, lines, share = 1, newestLast }) => {
    const kept = new Set<number>()
    const least = left - budget * 4 * share
    const order = newestLast === true ? [...lines.keys()].reverse() : [...lines.keys()]
    for (const at of order) {
      const cost = lines[at]!.length + 1 + (kept.size === 0 ? title.length + 5 : 0)
      if (left - cost < Math.max(0, least)) break
      kept.add(at)
      left -= cost
    }
    return lines.filter((_, at) => kept.has(at))
  })
  const leftOut = parts.flatMap(({ what, lines }, at) =>
    taken[at]!.length < lines.length ? [`${lines.length - taken[at]!.length} of ${lines.length} ${what}`] : [],
  )
  const sections = parts.flatMap(({ title }, at) =>
    taken[at]!.length === 0 ? [] : [[`## ${title}`, ...taken[at]!].join('\n')],
  )
  const text = [...sections, ...(leftOut.length === 0 ? [] : [`Left out for size: ${leftOut.join('; ')}.`])].join(
    '\n\n',
  )
  return { text, tokens: tokensOf(text), leftOut }
}

/** In the order of importance and of the text. */
const partsOf = ({
  task,
  acceptanceCriteria,
  verification,
  blockers,
  decisions,
  attempts,
  keyFacts,
  actions,
  owns,
  problems,
}: Brief): readonly Part[] =>
  [
    {
      title: 'Current task',
      what: 'lines of the task',
      share: 0.5,
      lines: task
        ? [
            line(`${task.id}. ${task.title} (${task.status})`),
            ...task.description.split('\n').flatMap((text) => (text.trim() === '' ? [] : [line(text)])),
          ]
        : [],
    },
    {
      title: 'Acceptance criteria',
      what: 'acceptance criteria',
      lines: acceptanceCriteria.map(({ text, met }) => line(`- [${met ? 'x' : ' '}] ${text}`)),
    },
    { title: 'Open blockers', what: 'open blockers', lines: blockers.map(bullet) },
    { title: 'Required verification', what: 'required verifications', lines: verification.map(bullet) },
    {
      title: 'Active decisions',
      what: 'lines of active decisions',
      lines: decisions.flatMap(({ id, title, constraints }) => [
        bullet(title === '' ? id : `${id}: ${title}`),
        ...constraints.map((text) => line(`  - ${oneLine(text)}`)),
      ]),
    },
    {
      title: 'Earlier attempts',
      what: 'earlier attempts',
      lines: attempts.map(({ attempt, outcome, error }) =>
        bullet(`Attempt ${attempt} ended ${outcome}${error === null ? '' : `: ${error}`}`),
      ),
      newestLast: true,
    },
    {
      title: 'Last actions',
      what: 'last actions',
      lines: actions.map((event) => bullet(actionText(event))),
      newestLast: true,
    },
    { title: 'Key facts', what: 'key facts', lines: keyFacts.map(bullet) },
    { title: 'You own', what: 'topics', lines: owns.length === 0 ? [] : [bullet(owns.join(', '))] },
    { title: 'Memory that cannot be read', what: 'problems', lines: problems.map(bullet) },
  ].filter(({ lines }) => lines.length > 0)

/** `2026-01-04T01:15Z verification test=hash-chain status=PASSED` */
const actionText = ({ timestamp, type, agent: _, ...rest }: WorkingEvent): string =>
  [
    timestamp,
    type,
    ...Object.entries(rest).map(
      ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ].join(' ')

const bullet = (text: string): string => line(`- ${oneLine(text)}`)

const line = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text)
