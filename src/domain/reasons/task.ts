import { type EndedWorktree, type FolderState, whyNotTriedAgain } from '../worktree.ts'
import type { TaskState } from '../task.ts'
import { clockMinute, clockTime, duration, elapsed, type Instant } from '../time.ts'
import { processWords, type ProcessSeen } from './seen.ts'
import { type Around, type Reason, sentence, timed } from './sentence.ts'
import type { TaskTimes } from './since.ts'
import { taskSince } from './since.ts'

/** What a task's row says about why it is in its state. */
export interface ReasonedTask extends TaskTimes {
  readonly id: number
  readonly blockedBy: readonly number[]
  readonly sleep: { readonly kind: string; readonly until: Instant } | null
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

/** What lies round a task. All of it is optional: who does not know says less. */
export interface AroundTask extends Around {
  readonly stalledAfter: number
  /** What its agent's process does; null where it is known to be gone. */
  readonly process?: ProcessSeen | null
  /** Its processes were stopped until a person has answered. */
  readonly pausedAt?: Instant | null
  readonly asked?: { readonly kind: 'permission' | 'question'; readonly tool: string | null; readonly subject: string; readonly askedAt: Instant }
  readonly folder?: FolderState
  /** Its worktree, where that takes no work any more. */
  readonly ended?: EndedWorktree | undefined
  /** What became of the tasks that it waits for. */
  readonly stateOf?: (id: number) => TaskState | undefined
  /** Why nobody can start it as things are. */
  readonly held?: string | undefined
  /** A person is asked whether it may cost more. */
  readonly overBudget?: boolean
  readonly paused?: boolean
  /** Whose work it waits for: what it needs is in use (`whyNotItsTurn`). */
  readonly inUse?: string | undefined
  readonly running?: number
  readonly most?: number
  readonly supervised?: boolean
  /** How durations are told; rows tell them by the minute. */
  readonly spell?: (ms: number) => string
}

/** Why a task is in its state, as one sentence without its full stop. Holds what others wrote, made safe. */
export const taskReason = (task: ReasonedTask, around: AroundTask): string => sentence(reasons[task.status](task, { spell: duration, ...around }), around)

type Known = AroundTask & { readonly spell: (ms: number) => string }

const pending = (task: ReasonedTask, around: Known): string => {
  const { now, held, folder, spell } = around
  if (task.blockedBy.length > 0) return blocked(task.blockedBy, around)
  if (around.overBudget) return 'waits for your answer: its budget is used up'
  if (task.sleep !== null && task.sleep.until > now) return `asleep: the quota of ${task.sleep.kind} is there again at ${clockMinute(task.sleep.until, now)}`
  if (task.notBefore !== null && task.notBefore > now)
    return `waits for its retry in ${spell(elapsed(now, task.notBefore))}${task.errorMessage === null ? '' : `, attempt ${task.attempt} failed: ${task.errorMessage}`}`
  if (task.command !== null && !task.commandAllowed) return `waits for your word: its command comes from ${task.createdBy ?? 'a client'}`
  if (held !== undefined) return `cannot start: ${held}`
  if (folder === 'building') return `waits for its worktree ${task.targetWorktree}, which is being built`
  if (around.paused) return 'waits: the session is paused'
  if (around.inUse !== undefined) return `waits: ${around.inUse}`
  if (around.running !== undefined && around.most !== undefined && around.running >= around.most)
    return `waits for a free slot: ${around.running} of at most ${around.most} agents run`
  if (around.supervised === false) return 'waits: nobody supervises; a console or aiswarm run starts it'
  return task.wantedAgentId === null ? 'ready to start' : `ready for agent ${task.wantedAgentId}`
}

/** At most so many are named. */
const NAMED = 4

const blocked = (ids: readonly number[], { stateOf }: Known): string => {
  const hopeless = ids.find((id) => stateOf?.(id) === 'failed' || stateOf?.(id) === 'cancelled')
  const named = ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '')
  const waits = `blocked: waits for ${ids.length === 1 ? 'task' : 'tasks'} ${named}`
  if (hopeless === undefined) return waits
  return `${waits}; ${ids.length === 1 ? 'it' : hopeless} ${stateOf?.(hopeless) === 'failed' ? 'has failed' : 'was cancelled'}`
}

const claimed = (task: ReasonedTask, around: Known): Reason => {
  const { now, stalledAfter, spell } = around
  const idle = elapsed(taskSince(task, now), now)
  const quiet = elapsed(task.progressedAt ?? taskSince(task, now), now)
  const said = `${quiet > stalledAfter ? 'stalled: ' : ''}claimed by ${task.assignedAgentId} and not started for ${spell(idle)}`
  return timed(forYou(around) ?? [said, ...rest(task, around)].join(', '))
}

/** Why its holder stands still until a person answers. */
const forYou = ({ asked, pausedAt }: Known): string | undefined => {
  if (pausedAt) return `its processes stand still since ${clockTime(pausedAt)}, until its budget is answered`
  return asked && `waits for your answer since ${clockTime(asked.askedAt)}: ${asked.tool === null ? '' : `${asked.tool} `}${asked.subject}`
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
  // A lease is renewed long before; one that is told of has lost its holder.
  ...(task.leaseExpiresAt !== null && task.leaseExpiresAt <= now ? [`its lease ran out ${spell(elapsed(task.leaseExpiresAt, now))} ago`] : []),
]

const failed = ({ attempt, errorMessage, completedAt, changedAt }: ReasonedTask, { ended }: Known): string =>
  `failed for good at ${clockTime(completedAt ?? changedAt)}${attempt > 0 ? ` after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}` : ''}: ${errorMessage ?? 'no reason given'}${ended === undefined ? '' : `; ${whyNotTriedAgain(ended)}`}`

const completed = ({ claimedAt, completedAt, changedAt }: ReasonedTask): string =>
  `completed at ${clockTime(completedAt ?? changedAt)}${claimedAt && completedAt ? ` in ${duration(elapsed(claimedAt, completedAt))}` : ''}`

const cancelled = ({ completedAt, changedAt, errorMessage }: ReasonedTask): string =>
  `cancelled at ${clockTime(completedAt ?? changedAt)}${errorMessage === null ? '' : `: ${errorMessage}`}`

const reasons: Record<TaskState, (task: ReasonedTask, around: Known) => Reason> = { pending, claimed, in_progress: working, completed, failed, cancelled }
