import { isFormatError } from '../session-files/format-error.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { allAdrs } from './store/adrs.ts'
import { archivedLogs, inOrder, readLogs, workingLogs } from './store/events.ts'
import { agentName } from './format/names.ts'
import { topicsOf } from './store/owners.ts'
import type { ProjectPlace } from './store/place.ts'
import type { WorkingEvent } from './format/working-log.ts'

/** The number of actions in a brief (seed 001). */
const LAST_ACTIONS = 10

/** Facts about the agent's work that project memory lacks: its task from the board, its notes from working memory. */
export interface BriefSources {
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
