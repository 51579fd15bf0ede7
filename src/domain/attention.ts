import { isOfOwn } from './own-configuration.ts'
import type { Instant } from './time.ts'
import { type EndedWorktree, whyNotTriedAgain } from './worktree.ts'

// What waits for a person: in which order, and the words for it.

export const attentionKinds = [
  'configuration',
  'permission',
  'question',
  'budget',
  'command',
  'unstartable',
  'stalled',
  'approve',
  'conflict',
  'unverified',
  'failed',
  'denial',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** Less comes first. An agent that asks stands still until it is answered; what has failed for good runs away from nobody. */
const urgency: Record<AttentionKind, number> = {
  configuration: 0,
  permission: 1,
  question: 1,
  budget: 2,
  command: 3,
  unstartable: 4,
  stalled: 4,
  approve: 5,
  conflict: 6,
  unverified: 6,
  failed: 7,
  denial: 8,
}

export interface Waiting {
  readonly kind: AttentionKind
  readonly taskId: number | null
  readonly worktree: string | null
  readonly agentId: string | null
  readonly requestId: number | null
  readonly since: Instant
}

/** One thing that waits keeps its name while others come and go. */
export const waitingName = ({ kind, requestId, worktree, taskId, agentId }: Waiting): string =>
  requestId === null ? `${kind} ${worktree ?? taskId ?? agentId ?? ''}`.trimEnd() : `request ${requestId}`

/** Where it stands among all that could wait: such texts compare as the things do, and say so when the thing is gone. */
export const waitingPlace = (item: Waiting): string => `${urgency[item.kind]} ${item.since} ${waitingName(item)}`

/** The most urgent first, of those the oldest. */
export const byUrgency = <T extends Waiting>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: waitingPlace(item) }))
    .sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .map(({ item }) => item)

/** What comes behind a place, also where nothing waits there any more; behind the last comes the first. */
export const nextBehind = <T extends Waiting>(items: readonly T[], place: string | null): T | undefined => {
  const ordered = byUrgency(items)
  return (place === null ? undefined : ordered.find((item) => waitingPlace(item) > place)) ?? ordered[0]
}

/** A sentence that says what is asked, what speaks for it, and by which rule others are like it; null where each is decided by itself. */
export interface Said {
  readonly text: string
  readonly evidence: string
  readonly like: string | null
}

/** `changes` are the lines that differ from what a person trusts. */
export const configurationSaid = (changes: readonly string[]): Said =>
  changes.some(isOfOwn)
    ? {
        text: "aiswarm's own configuration has changed while agents ran, or within a minute of it; it counts as it was, and nothing is integrated, until you accept it",
        evidence: sentence(
          ...changes
            .filter(isOfOwn)
            .slice(0, 3)
            .map((line) => line.slice(0, 200)),
          changes.length > 3 ? `${changes.length} changed lines in all` : null,
        ),
        like: null,
      }
    : {
        text: 'the configuration of the repository has changed; nothing is integrated until you accept it',
        evidence: 'git would run the programs that it names; the changed lines are shown before you accept them',
        like: null,
      }

export interface AskedBy {
  readonly kind: 'permission' | 'question' | 'denial'
  readonly agentId: string
  readonly personaId: string | null
  readonly taskId: number | null
  readonly tool: string | null
  readonly subject: string
  readonly rule: string | null
  /** Nothing of it runs any more. */
  readonly ended: boolean
}

export const requestSaid = ({ kind, agentId, personaId, taskId, tool, subject, rule, ended }: AskedBy): Said => {
  const text = {
    permission: `${agentId} asks to use ${tool}: ${subject}`,
    question: `${agentId} asks: ${subject}`,
    denial: `${agentId} was not allowed ${tool}: ${subject}`,
  }[kind]
  const whose = [taskId === null ? null : `for task ${taskId}`, personaId].filter((part) => part !== null).join(', ')
  const consequence = {
    permission: 'it stands still until you answer',
    question: 'it waits for your words',
    denial: `its CLI has said no already, and it has ${ended ? 'ended' : 'gone on'}`,
  }[kind]
  return {
    text,
    evidence: sentence(whose, consequence, kind === 'question' || rule === null ? null : `always allows ${rule}`),
    like: kind === 'question' ? `questions of ${personaId ?? agentId}` : `${rule ?? tool ?? ''}`,
  }
}

export interface Entering {
  readonly worktree: string
  readonly target: string
  readonly problem: string | null
  readonly conflicts: readonly string[]
  readonly branchOid: string | null
  readonly targetOid: string | null
  readonly verification: { readonly command: string; readonly exitCode: number | null; readonly tail: string } | null
}

export const integrationSaid = (kind: 'approve' | 'conflict' | 'unverified', { worktree, target, problem, conflicts, branchOid, targetOid, verification }: Entering): Said => {
  const commits = branchOid && targetOid ? `${branchOid.slice(0, 8)} into ${target} at ${targetOid.slice(0, 8)}` : null
  if (kind === 'conflict')
    return { text: problem ?? `${worktree} conflicted with ${target} in ${conflicts.slice(0, 3).join(', ')}`, evidence: sentence(commits, listOf('file', conflicts)), like: null }
  if (kind === 'unverified') return { text: `the verification of ${worktree} failed`, evidence: sentence(verified(verification), lastLine(verification?.tail)), like: null }
  return { text: problem ?? `${worktree} is ready to enter ${target}`, evidence: sentence(commits, verified(verification)), like: null }
}

const verified = (verification: Entering['verification']): string => {
  if (verification === null) return 'not verified: no command is configured'
  const { command, exitCode } = verification
  return exitCode === 0 ? `${command} passed` : `${command}: ${exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`}`
}

export interface WaitingTask {
  readonly id: number
  readonly title: string
  readonly personaId: string
  readonly errorMessage: string | null
  readonly attempt: number
  readonly retryCount: number
  readonly assignedAgentId: string | null
  readonly command: string | null
  readonly createdBy: string | null
}

/** `ended` is its worktree where that takes no work any more. */
export const taskSaid = (kind: 'failed' | 'stalled' | 'command', task: WaitingTask, ended?: EndedWorktree): Said => {
  const { id, title, personaId } = task
  if (kind === 'failed') {
    const tries = task.attempt === 0 ? 'never started' : task.attempt === 1 ? 'after one attempt' : `after ${task.attempt} attempts`
    const text = `task ${id} failed: ${task.errorMessage ?? 'no reason given'}`
    // The keys that put failed tasks back together have nothing to do with it.
    if (ended) return { text, evidence: sentence(title, tries, whyNotTriedAgain(ended), 'give it up, and let another task do what is left'), like: null }
    return { text, evidence: sentence(title, tries, 'no retry is left'), like: `failed tasks of ${personaId}` }
  }
  if (kind === 'stalled')
    return {
      text: `task ${id} shows no progress`,
      evidence: sentence(title, task.assignedAgentId === null ? null : `${task.assignedAgentId} has it, attempt ${task.attempt}`),
      like: null,
    }
  return { text: `task ${id} waits for your word to run its command`, evidence: `${task.createdBy ?? 'a client'} put it there: ${task.command ?? ''}`, like: null }
}

/** A pending task for which no kind of agent is found. */
export const unstartableSaid = ({ id, title }: Pick<WaitingTask, 'id' | 'title'>, why: string): Said => ({
  text: `task ${id} cannot start: ${why}`,
  evidence: title,
  like: null,
})

const sentence = (...parts: readonly (string | null | undefined)[]): string => parts.filter((part) => part).join('; ')

const listOf = (noun: string, names: readonly string[]): string | null =>
  names.length === 0 ? null : `${names.length} ${noun}${names.length === 1 ? '' : 's'}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`

const lastLine = (text: string | undefined): string | undefined =>
  text
    ?.split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '')
