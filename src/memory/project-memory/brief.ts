import { isRefusal } from '../../domain/rules/refusal.ts'
import { isFormatError } from '../format-error.ts'
import { oneLine } from '../session-files/values.ts'
import type { WorkingMemory } from '../working-memory/memory.ts'
import { allAdrs } from './adrs.ts'
import { tokensOf } from './compress.ts'
import { BRIEF_TOKENS } from './limits.ts'
import { agentName } from './names.ts'
import { topicsOf } from './owners.ts'
import type { ProjectPlace } from './store.ts'
import { archivedLogs, inOrder, readLogs, type WorkingEvent, workingLogs } from './working-log.ts'

// The short-term brief of an agent: what it contains, from which sources, and its text within a number of tokens.

/** The number of actions in a brief (seed 001). */
const LAST_ACTIONS = 10

/** Facts about the agent's work that project memory lacks: its task from the board, its notes from working memory. */
interface BriefSources {
  readonly task?:
    | {
        readonly id: number
        readonly title: string
        readonly description: string
        readonly status: string
        readonly acceptanceCriteria: readonly { readonly text: string; readonly met: boolean }[]
      }
    | undefined
  /** The outcomes of earlier attempts, oldest first. */
  readonly attempts?:
    readonly { readonly attempt: number; readonly outcome: string | null; readonly error: string | null }[] | undefined
  readonly blockers?: readonly string[] | undefined
  readonly keyFacts?: readonly string[] | undefined
  /** Sources that could not be read, one sentence each. */
  readonly problems?: readonly string[] | undefined
}

/** Short-term memory: everything an agent needs to continue. */
export interface Brief {
  readonly agent: string
  readonly task: {
    readonly id: number
    readonly title: string
    readonly description: string
    readonly status: string
  } | null
  readonly acceptanceCriteria: readonly { readonly text: string; readonly met: boolean }[]
  /** The proofs required before the work is done. */
  readonly verification: readonly string[]
  readonly blockers: readonly string[]
  readonly decisions: readonly {
    readonly id: string
    readonly title: string
    readonly constraints: readonly string[]
  }[]
  readonly attempts: readonly {
    readonly attempt: number
    readonly outcome: string | null
    readonly error: string | null
  }[]
  readonly keyFacts: readonly string[]
  /** The agent's last ten events of the working logs, oldest first. */
  readonly actions: readonly WorkingEvent[]
  /** Topics that the agent owns. */
  readonly owns: readonly string[]
  /** Files that could not be read, one sentence each. */
  readonly problems: readonly string[]
}

/** The short-term brief of an agent. A file that cannot be read is named in it and does not block the agent. */
export const briefFor = (
  place: ProjectPlace,
  given: string,
  { task, attempts = [], blockers = [], keyFacts = [], problems: known = [] }: BriefSources = {},
): Brief => {
  const agent = agentName(given)
  const problems: string[] = [...known]
  const paths = readable(problems, [], () => [...archivedLogs(place), ...workingLogs(place)])
  const logs = paths.flatMap((path) => readable(problems, [], () => readLogs(place, [path])))
  problems.push(...logs.flatMap((log) => log.problems.map(({ message }) => message)))
  const events = inOrder(logs).map(({ event }) => event)
  const criteria = task?.acceptanceCriteria ?? []
  return {
    agent,
    task: task ? { id: task.id, title: task.title, description: task.description, status: task.status } : null,
    acceptanceCriteria: criteria,
    verification: [...criteria.filter(({ met }) => !met).map(({ text }) => text), ...unverified(events, agent)],
    blockers,
    decisions: readable(problems, [], () =>
      allAdrs(place, (read) => readable(problems, [], () => [read()])).flatMap(({ id, status, file }) =>
        status === 'Accepted'
          ? [{ id, title: file?.title ?? '', constraints: file ? constraintsIn(file.text) : [] }]
          : [],
      ),
    ),
    attempts: attempts.filter(({ outcome }) => outcome !== null),
    keyFacts,
    actions: events.filter((event) => event['agent'] === agent || event['from'] === agent).slice(-LAST_ACTIONS),
    owns: topicsOf(place, agent),
    problems,
  }
}

/** Tests whose last verification by this agent, or without an agent, failed. */
const unverified = (events: readonly WorkingEvent[], agent: string): readonly string[] => {
  const last = new Map<string, string>()
  for (const { type, test, status, agent: by } of events) {
    if (type === 'verification' && typeof test === 'string' && (by === undefined || by === agent))
      last.set(test, typeof status === 'string' ? status : 'UNKNOWN')
  }
  return [...last].flatMap(([test, status]) => (/^pass(?:ed)?$/i.test(status) ? [] : [`${test} (last: ${status})`]))
}

/** Bullets below `## Constraints` of a decision, at most five; the rest is in its file. */
const constraintsIn = (text: string): readonly string[] => {
  const below = /^##\s+Constraints\s*$([\s\S]*?)(?=^##?\s|(?![\s\S]))/im.exec(text)?.[1] ?? ''
  return below
    .split('\n')
    .flatMap((line) => /^[-*+]\s+(.+)$/.exec(line)?.[1]?.trim() ?? [])
    .slice(0, 5)
}

const readable = <T>(problems: string[], otherwise: T, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (!isRefusal(error) && !isFormatError(error)) throw error
    problems.push(error.message)
    return otherwise
  }
}

/**
 * The part of a brief from an agent's working memory (seed 002): open blockers and key facts, critical ones first. A
 * memory that cannot be read is reported.
 */
export const notesOf = (
  read: () => WorkingMemory | undefined,
): Pick<BriefSources, 'blockers' | 'keyFacts' | 'problems'> => {
  try {
    return toldBy(read())
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { problems: [error.message] }
  }
}

const toldBy = (memory: WorkingMemory | undefined): Pick<BriefSources, 'blockers' | 'keyFacts'> => {
  const facts = Object.entries(memory?.keyFacts ?? {}).map(([key, { content, critical }]) => ({
    critical: critical === true,
    text: /^fact_\d+_/.test(key) ? content : `${key}: ${content}`,
  }))
  return {
    blockers: (memory?.blockers ?? []).filter(({ resolved }) => !resolved).map(({ blocker }) => blocker),
    keyFacts: [...facts.filter(({ critical }) => critical), ...facts.filter(({ critical }) => !critical)].map(
      ({ text }) => text,
    ),
  }
}

interface BriefText {
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

/** The limit of one line of a brief (characters); its source has the rest. */
const LONGEST_LINE = 400

const line = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text)
