import type { IntegrationState } from '../integration/integration.ts'
import { someOf } from '../words/counts.ts'
import { type Around, over, type Reason, sentence, timed } from '../words/reason.ts'
import { clockTime, duration, elapsed, type Instant } from '../words/time.ts'
import type { FolderState, WorktreeState } from './worktree.ts'

// The state of a worktree as a person reads it: since when, why, and how much of its work is on the git remote.

export interface ReasonedWorktree extends WorktreeTimes {
  readonly name: string
  readonly discardReason: string | null
  /** The host whose turn it is in its integration, and since when the git remote does not answer it. */
  readonly remoteSilent?: { readonly host: string; readonly since: Instant } | undefined
  readonly integration:
    | (NonNullable<WorktreeTimes['integration']> & {
        readonly target: string
        readonly problem: string | null
        readonly conflicts: readonly string[]
        readonly verification: {
          readonly command: string
          readonly exitCode: number | null
          readonly endedAt: Instant
        } | null
      })
    | null
}

interface AroundWorktree extends Around {
  /** Its tasks that have not ended. */
  readonly unfinished?: readonly number[]
  /** True if integrations wait until a person accepts the configuration. */
  readonly configurationChanged?: boolean
  /** True if the radar finds no conflict now, whatever the result of its last merge. */
  readonly clear?: boolean
  /** Why its host cannot push what it has now, such as that it is silent. */
  readonly away?: string
  readonly spell?: (ms: number) => string
}

/** The reason for a worktree's state, as one sentence without its full stop. */
export const worktreeReason = (worktree: ReasonedWorktree, around: AroundWorktree): string =>
  sentence(reasonOf(worktree, around), around)

const reasonOf = (worktree: ReasonedWorktree, around: AroundWorktree): Reason => {
  const { status, folder, integration, discardReason, createdAt } = worktree
  const { now, spell = duration, unfinished = [] } = around
  if (status === 'discarded')
    return over(
      `discarded${discardReason === null ? '' : `: ${discardReason}`}${folder === 'leaving' ? '; removing its folder' : ''}`,
    )
  if (folder === 'building') return timed(`creating for ${spell(elapsed(createdAt, now))}`)
  if (integration) return integrating(worktree, integration, around)
  if (unfinished.length > 0) return `unfinished ${unfinished.length === 1 ? 'task' : 'tasks'}: ${someOf(unfinished, 4)}`
  return 'i integrates it: no unfinished tasks'
}

const integrating = (
  worktree: ReasonedWorktree,
  integration: NonNullable<ReasonedWorktree['integration']>,
  { now, configurationChanged, clear = false, away, spell = duration }: AroundWorktree,
): Reason => {
  const { target, problem, conflicts, verification } = integration
  const lasts = spell(elapsed(worktreeSince(worktree), now))
  const checked =
    verification === null
      ? 'not verified'
      : `${verification.command} ${verification.exitCode === 0 ? 'passed' : 'failed'}`
  const held = configurationChanged ? '; blocked until you accept the changed configuration' : ''
  // Its last commits may be on that host only.
  const pushed = away === undefined ? '' : `; ${away}: this is what it had pushed`
  if (worktree.remoteSilent && away === undefined) return timed(`blocked: ${remoteSilentWords(worktree.remoteSilent)}`)
  switch (integration.status) {
    case 'requested':
      return away === undefined
        ? timed(`merging into ${target} for ${lasts}${held}`)
        : timed(`waiting ${lasts} for the push of its branch: ${away}${held}`)
    case 'verifying':
      return timed(`verifying the merge into ${target} for ${lasts}${pushed}${held}`)
    case 'conflicted':
      return problem ?? conflicting(target, conflicts, clear)
    case 'unverified':
      return `${verification?.command ?? 'its verification'} failed${typeof verification?.exitCode === 'number' ? ` with exit code ${verification.exitCode}` : ''}; fix it on the branch, then request the integration again`
    case 'ready':
      return problem === null
        ? timed(`waiting ${lasts} for your approval, ${checked}${pushed}${held}`)
        : `blocked: ${problem}`
    case 'approved':
      return timed(`approved, waiting to merge into ${target} for ${lasts}${held}`)
    case 'moving':
      return timed(`updating ${target} for ${lasts}`)
    case 'integrated':
      return timed(`merged into ${target} at ${clockTime(worktreeSince(worktree))}`)
    case 'rejected':
      return over(`rejected at ${clockTime(worktreeSince(worktree))}${problem === null ? '' : `: ${problem}`}`)
  }
}

/** Why a step of an integration waits for the git remote. */
export const remoteSilentWords = ({ host, since }: NonNullable<ReasonedWorktree['remoteSilent']>): string =>
  `the git remote has not answered host ${host} since ${clockTime(since)}`

const conflicting = (target: string, conflicts: readonly string[], clear: boolean): string => {
  const where = `with ${target} in ${someOf(conflicts, 3)}`
  return clear
    ? `conflicted ${where}; the radar finds no conflict any more, so request the integration again`
    : `conflicts ${where}; resolve it on the branch, then request the integration again`
}

interface WorktreeTimes {
  readonly status: WorktreeState
  readonly folder: FolderState
  readonly createdAt: Instant
  readonly integration: {
    readonly status: IntegrationState
    readonly requestedAt: Instant
    readonly approvedAt: Instant | null
    readonly endedAt: Instant | null
    readonly verification: { readonly endedAt: Instant } | null
  } | null
}

export const worktreeSince = ({ integration, createdAt }: WorktreeTimes): Instant =>
  integration === null
    ? createdAt
    : (integration.endedAt ?? integration.approvedAt ?? integration.verification?.endedAt ?? integration.requestedAt)

/** When a worktree's work was last pushed to the git remote: what is later is lost if its host dies. */
interface SafeAsOf {
  /** When all its commits were there; null: none has been pushed since it was created. */
  readonly commits: Instant | null
  /** When its uncommitted files were, if a person allows that and there were some. */
  readonly uncommitted: Instant | null
}

/** `14:22:30; uncommitted files 14:22:50` */
export const safeWords = ({ commits, uncommitted }: SafeAsOf, clock: (at: Instant) => string): string =>
  [
    commits === null ? 'its creation' : clock(commits),
    ...(uncommitted === null ? [] : [`uncommitted files ${clock(uncommitted)}`]),
  ].join('; ')
