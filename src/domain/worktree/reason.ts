import { someOf } from '../words/count.ts'
import { clockTime, duration, elapsed, type Instant } from '../words/time.ts'
import { type Around, type Reason, sentence, timed } from '../words/reason.ts'
import { type WorktreeTimes, worktreeSince } from './since.ts'

export interface ReasonedWorktree extends WorktreeTimes {
  readonly name: string
  readonly discardReason: string | null
  readonly integration:
    | (NonNullable<WorktreeTimes['integration']> & {
        readonly target: string
        readonly problem: string | null
        readonly conflicts: readonly string[]
        readonly verification: { readonly command: string; readonly exitCode: number | null; readonly endedAt: Instant } | null
      })
    | null
}

export interface AroundWorktree extends Around {
  /** Its tasks that have not ended. */
  readonly unfinished?: readonly number[]
  /** True if integrations wait until a person accepts the configuration. */
  readonly configurationChanged?: boolean
  /** True if the radar finds no conflict now, whatever the result of its last merge. */
  readonly clear?: boolean
  readonly spell?: (ms: number) => string
}

/** The reason for a worktree's state, as one sentence without its full stop. */
export const worktreeReason = (worktree: ReasonedWorktree, around: AroundWorktree): string => sentence(reasonOf(worktree, around), around)

const reasonOf = (worktree: ReasonedWorktree, around: AroundWorktree): Reason => {
  const { status, folder, integration, discardReason, createdAt } = worktree
  const { now, spell = duration, unfinished = [] } = around
  if (status === 'discarded') return `discarded${discardReason === null ? '' : `: ${discardReason}`}${folder === 'leaving' ? '; its folder is being removed' : ''}`
  if (folder === 'building') return timed(`is being built for ${spell(elapsed(createdAt, now))}`)
  if (integration) return integrating(worktree, integration, around)
  if (unfinished.length > 0) return `${unfinished.length === 1 ? 'task' : 'tasks'} ${someOf(unfinished, 4)} still to be done in it`
  return 'nothing is to be done in it; i asks for its integration'
}

const integrating = (
  worktree: ReasonedWorktree,
  integration: NonNullable<ReasonedWorktree['integration']>,
  { now, configurationChanged, clear = false, spell = duration }: AroundWorktree,
): Reason => {
  const { target, problem, conflicts, verification } = integration
  const lasts = spell(elapsed(worktreeSince(worktree), now))
  const checked = verification === null ? 'not verified' : `${verification.command} ${verification.exitCode === 0 ? 'passed' : 'failed'}`
  const held = configurationChanged ? '; held until you accept the changed configuration' : ''
  switch (integration.status) {
    case 'requested':
      return timed(`is being merged into ${target} for ${lasts}${held}`)
    case 'verifying':
      return timed(`its merge into ${target} is being verified for ${lasts}${held}`)
    case 'conflicted':
      return problem ?? conflicting(target, conflicts, clear)
    case 'unverified':
      return `${verification?.command ?? 'its verification'} failed${typeof verification?.exitCode === 'number' ? ` with exit code ${verification.exitCode}` : ''}; repair it on its branch, then ask for it again`
    case 'ready':
      return problem === null ? timed(`waits for your approval for ${lasts}, ${checked}${held}`) : `held: ${problem}`
    case 'approved':
      return timed(`approved, waits for its turn into ${target} for ${lasts}${held}`)
    case 'moving':
      return timed(`goes into ${target} for ${lasts}`)
    case 'integrated':
      return timed(`is in ${target} since ${clockTime(worktreeSince(worktree))}`)
    case 'rejected':
      return `was rejected at ${clockTime(worktreeSince(worktree))}${problem === null ? '' : `: ${problem}`}`
  }
}

const conflicting = (target: string, conflicts: readonly string[], clear: boolean): string => {
  const where = `with ${target} in ${someOf(conflicts, 3)}`
  return clear ? `conflicted ${where}; the radar sees no conflict any more, so ask for it again` : `conflicts ${where}; resolve it on its branch, then ask for it again`
}
