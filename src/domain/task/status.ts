import { type ProcessSeen, processWords } from '../agent/agent.ts'
import type { Asked } from '../agent/status.ts'
import type { Sleep } from '../budget/budget.ts'
import { someOf } from '../words/counts.ts'
import { type Around, over, type Reason, sentence, timed } from '../words/reason.ts'
import { clockMinute, clockTime, duration, elapsed, type Instant } from '../words/time.ts'
import { type EndedWorktree, type FolderState, whyNotTriedAgain } from '../worktree/worktree.ts'
import { enteredAt, type TaskState } from './task.ts'

// The state of a task as a person reads it: since when, why, and how long such tasks usually take.

/** The fields of a task's row that explain its state. */
export interface ReasonedTask extends TaskTimes {
  readonly id: number
  readonly blockedBy: readonly number[]
  readonly sleep: Sleep | null
  readonly progressedAt: Instant | null
  readonly leaseExpiresAt: Instant | null
  readonly assignedAgentId: string | null
  readonly wantedAgentId: string | null
  readonly targetWorktree: string | null
  readonly personaId: string
  readonly command: string | null
  readonly commandAllowed: boolean
  readonly createdBy: string | null
  readonly attempt: number
  readonly errorMessage: string | null
}

/** Facts around a task, all of them optional: a caller that knows less says less. */
export interface AroundTask extends Around {
  readonly stalledAfter: number
  /** The process of its agent; null if it is known to have ended. */
  readonly process?: ProcessSeen | null
  /** When its processes were stopped until a person answers. */
  readonly pausedAt?: Instant | null
  readonly asked?: Asked
  readonly folder?: FolderState
  /** Its worktree, if that accepts no more work. */
  readonly ended?: EndedWorktree | undefined
  /** The state of its dependencies. */
  readonly stateOf?: (id: number) => TaskState | undefined
  /** The reason why it cannot start now. */
  readonly held?: string | undefined
  /** True if a person is asked whether it may cost more. */
  readonly overBudget?: boolean
  readonly paused?: boolean
  /** The use of its worktree or agent for which it waits (`whyNotItsTurn`). */
  readonly inUse?: string | undefined
  readonly running?: number
  readonly most?: number
  /** Why nothing is started on this machine now. */
  readonly hold?: string | null
  readonly supervised?: boolean
  /** The format of durations; rows show minutes. */
  readonly spell?: (ms: number) => string
}

/** The reason for a task's state, as one sentence without its full stop. Foreign text in it is made safe. */
export const taskReason = (task: ReasonedTask, around: AroundTask): string =>
  sentence(reasons[task.status](task, { spell: duration, ...around }), around)

type Known = AroundTask & { readonly spell: (ms: number) => string }

const pending = (task: ReasonedTask, around: Known): string => {
  const { now, held, folder, spell } = around
  if (task.blockedBy.length > 0) return blocked(task.blockedBy, around)
  if (around.overBudget) return 'waiting for your answer: its budget is used up'
  if (task.sleep !== null && task.sleep.until > now)
    return `asleep until ${clockMinute(task.sleep.until, now)}: the quota of ${task.sleep.kind} is used up${task.sleep.host === undefined ? '' : ` on host ${task.sleep.host}`}`
  if (task.notBefore !== null && task.notBefore > now)
    return `retries in ${spell(elapsed(now, task.notBefore))}${task.errorMessage === null ? '' : `, attempt ${task.attempt} failed: ${task.errorMessage}`}`
  if (task.command !== null && !task.commandAllowed)
    return `waiting for your approval: its command comes from ${task.createdBy ?? 'a client'}`
  if (held !== undefined) return `cannot start: ${held}`
  if (folder === 'building') return `waiting for worktree ${task.targetWorktree} to be created`
  if (around.paused) return 'waiting: the session is paused'
  if (around.inUse !== undefined) return `waiting: ${around.inUse}`
  if (around.running !== undefined && around.most !== undefined && around.running >= around.most)
    return `waiting for a free slot: ${around.running} of at most ${around.most} agents are running`
  if (around.hold) return `waiting: ${around.hold}`
  if (around.supervised === false) return 'waiting: not supervised; the console or aiswarm run starts it'
  return task.wantedAgentId === null ? 'ready to start' : `ready for agent ${task.wantedAgentId}`
}

/** The most names that are listed. */
const NAMED = 4

const blocked = (ids: readonly number[], { stateOf }: Known): string => {
  const hopeless = ids.find((id) => stateOf?.(id) === 'failed' || stateOf?.(id) === 'cancelled')
  const named = someOf(ids, NAMED)
  const waits = `blocked by ${ids.length === 1 ? 'task' : 'tasks'} ${named}`
  if (hopeless === undefined) return waits
  return `${waits}; ${ids.length === 1 ? 'it' : `task ${hopeless}`} ${stateOf?.(hopeless) === 'failed' ? 'failed' : 'was cancelled'}`
}

const claimed = (task: ReasonedTask, around: Known): Reason => {
  const { now, stalledAfter, spell } = around
  const idle = elapsed(taskSince(task, now), now)
  const quiet = elapsed(task.progressedAt ?? taskSince(task, now), now)
  const said = `${quiet > stalledAfter ? 'stalled: ' : ''}claimed by ${task.assignedAgentId} and not started for ${spell(idle)}`
  return timed(forYou(around) ?? [said, ...rest(task, around)].join(', '))
}

/** The reason why its holder is blocked until a person answers. */
const forYou = ({ asked, pausedAt }: Known): string | undefined => {
  if (pausedAt) return `paused since ${clockTime(pausedAt)}: its budget needs your answer`
  return (
    asked &&
    `waiting for your answer since ${clockTime(asked.askedAt)}: ${asked.tool === null ? '' : `${asked.tool} `}${asked.subject}`
  )
}

const working = (task: ReasonedTask, around: Known): Reason => {
  const { now, stalledAfter, spell } = around
  const waits = forYou(around)
  if (waits !== undefined) return timed(waits)
  const quiet = elapsed(task.progressedAt ?? task.startedAt ?? now, now)
  if (quiet > stalledAfter) return timed([`stalled: no progress for ${spell(quiet)}`, ...rest(task, around)].join(', '))
  return [`working: last progress ${spell(quiet)} ago`, ...rest(task, around)].join(', ')
}

const rest = (task: ReasonedTask, { process, now, spell }: Known): readonly string[] => [
  ...processWords(process),
  // A lease is renewed long before; an expired one has lost its holder.
  ...(task.leaseExpiresAt !== null && task.leaseExpiresAt <= now
    ? [`its lease expired ${spell(elapsed(task.leaseExpiresAt, now))} ago`]
    : []),
]

const failed = ({ attempt, errorMessage, completedAt, changedAt }: ReasonedTask, { ended }: Known): Reason =>
  over(
    `failed at ${clockTime(completedAt ?? changedAt)}${attempt > 0 ? ` after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}` : ''}: ${errorMessage ?? 'no reason given'}${ended === undefined ? '' : `; ${whyNotTriedAgain(ended)}`}`,
  )

const completed = ({ claimedAt, completedAt, changedAt }: ReasonedTask): Reason =>
  over(
    `completed at ${clockTime(completedAt ?? changedAt)}${claimedAt && completedAt ? ` in ${duration(elapsed(claimedAt, completedAt))}` : ''}`,
  )

const cancelled = ({ completedAt, changedAt, errorMessage }: ReasonedTask): Reason =>
  over(`cancelled at ${clockTime(completedAt ?? changedAt)}${errorMessage === null ? '' : `: ${errorMessage}`}`)

const reasons: Record<TaskState, (task: ReasonedTask, around: Known) => Reason> = {
  pending,
  claimed,
  in_progress: working,
  completed,
  failed,
  cancelled,
}

interface TaskTimes {
  readonly status: TaskState
  readonly changedAt: Instant
  /** When its last dependency was completed; null while it is blocked, and if it has no dependency. */
  readonly unblockedAt: Instant | null
  readonly notBefore: Instant | null
  readonly claimedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

export const taskSince = (task: TaskTimes, now: Instant): Instant =>
  task.status === 'pending' ? pendingSince(task, now) : (task[enteredAt[task.status]] ?? task.changedAt)

/** Blocked, waiting for a retry and ready are all pending: the latest of these times began the present one. */
const pendingSince = ({ changedAt, unblockedAt, notBefore }: TaskTimes, now: Instant): Instant => {
  const ready = [unblockedAt, notBefore !== null && notBefore <= now ? notBefore : null]
  return ready.reduce<Instant>((latest, at) => (at !== null && at > latest ? at : latest), changedAt)
}

// Estimates from past attempts. A shell command says nothing about an agent of the same persona.

/** Past attempts without which nothing is estimated. */
const ENOUGH = 3

/** Shorter usual times (ms) are not worth an estimate. */
const LEAST = 10_000

/** The median of durations (ms); undefined if there are too few, or if they are too short to be waited for. */
export const usualTime = (durations: readonly number[]): number | undefined => {
  if (durations.length < ENOUGH) return undefined
  const sorted = durations.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
  return median >= LEAST ? median : undefined
}

/** Tasks with the same key take about the same time. */
export const usualKey = ({
  personaId,
  isCommand,
}: {
  readonly personaId: string
  readonly isCommand: boolean
}): string => `${isCommand ? 'command' : 'agent'} ${personaId}`
