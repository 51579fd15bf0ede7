import type { Line } from '../../../components/Lines.tsx'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'
import { type IntegrationLook, integrationLooks } from '../../../components/base/look.ts'
import type { WorktreeObservation } from '../../contracts/observations.ts'
import { silentSince } from '../../domain/host/host.ts'
import { conflictBetween, conflictWords, type Opponent, opponentsOf } from '../../domain/integration/radar.ts'
import { type TargetTests, targetTestsWords } from '../../domain/integration/test-files.ts'
import { isOver } from '../../domain/task/task.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import { worktreeReason, worktreeSince } from '../../domain/worktree/status.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { radarText } from '../../text/integration.ts'
import { rowText } from '../../text/states.ts'
import type { ConsoleState } from '../core/state.ts'
import { awayWords, type Clock, silentAfterIn } from './hosts.ts'
import { heading, paragraph, verbatim, widthIn, written } from './lines.ts'
import { byTheMinute } from './progress.ts'

// The row of a worktree, the reason for its state, and its conflicts. Only visible rows are created.

/** `clear` if the radar finds no conflict now, whatever the result of its last merge. */
export const worktreeRow = (
  worktree: WorktreeView,
  seen: WorktreeObservation | undefined,
  warns: string,
  clear: boolean,
  selected: boolean,
  clock: Clock,
): WorktreeRow => {
  const [look, says] = standing(worktree, clear)
  const away = worktree.status === 'active' ? awayWords(worktree.host, clock) : ''
  const verification = worktree.integration?.verification
  return {
    name: safeText(worktree.name),
    branch: safeText(worktree.branchName),
    host: safeText(worktree.host?.name ?? ''),
    isAway: away !== '',
    ahead: seen?.ahead ?? null,
    behind: seen?.behind ?? null,
    added: seen?.added ?? null,
    removed: seen?.removed ?? null,
    dirty: seen?.dirty ?? null,
    verified: ours(worktree.status === 'active' && verification?.exitCode === 0 ? rowText.verified : ''),
    look,
    // The problem of the last merge is not repeated if the radar reports the same.
    says: safeText([says !== '' && warns.startsWith(says) ? '' : says, away].filter(Boolean).join(', ')),
    warns: safeText(warns),
    selected,
  }
}

const standing = (
  { status, folder, integration, remoteSilent }: WorktreeView,
  clear: boolean,
): readonly [IntegrationLook | null, string] => {
  if (status === 'discarded') return [integrationLooks.rejected, rowText.discarded]
  if (folder === 'building') return [integrationLooks.requested, rowText.beingBuilt]
  if (!integration) return [null, '']
  const look = integrationLooks[integration.status]
  if (remoteSilent) return [look, rowText.held(rowText.noRemote)]
  if (integration.status === 'conflicted' && integration.conflicts.length === 0 && integration.problem !== null)
    return [look, rowText.held(integration.problem)]
  if (integration.status === 'conflicted')
    return [look, clear ? rowText.conflictedWith(integration.target) : rowText.conflictsWith(integration.target)]
  return [
    look,
    integration.status === 'ready' && integration.problem !== null ? rowText.held(integration.problem) : look.word,
  ]
}

export const worktreeTime = (state: ConsoleState, worktree: WorktreeView): SafeText =>
  ours(byTheMinute(elapsed(worktreeSince(worktree), state.now)))

export const reasonOfWorktree = (state: ConsoleState, worktree: WorktreeView, since?: Instant): string =>
  worktreeReason(worktree, {
    now: state.now,
    ...(since === undefined ? {} : { since }),
    unfinished: state.board.tasks
      .filter((task) => task.targetWorktree === worktree.name && !isOver(task.status))
      .map(({ id }) => id),
    configurationChanged: state.board.attention.some(
      ({ kind, host }) => kind === 'configuration' && host === undefined,
    ),
    clear: mergesNow(state, worktree),
    ...awayOf(state, worktree),
  })

/** Why the host of a worktree cannot push what it has. */
const awayOf = (state: ConsoleState, { host }: WorktreeView): { readonly away?: string } => {
  if (host?.state === 'lost') return { away: rowText.hostWasLost(safeText(host.name)) }
  const since = host && silentSince(host, state.now, silentAfterIn(state))
  return since === undefined ? {} : { away: rowText.hostIsSilent(safeText(host!.name), clockTime(since)) }
}

/**
 * True if the radar finds no conflict of the complete worktree with its target: the result of its last merge is
 * outdated.
 */
export const mergesNow = ({ radar }: Pick<ConsoleState, 'radar'>, { name, integration }: WorktreeView): boolean => {
  const known = radar?.worktrees.find((worktree) => worktree.name === name)
  if (
    !radar ||
    !known ||
    !integration ||
    known.target !== integration.target ||
    known.remark !== null ||
    known.uncommitted > 0
  )
    return false
  return conflictBetween(radar.pairs, name, integration.target, true) === undefined
}

/** The warnings for a person before they approve a worktree, a sentence each; not safe yet, because they contain names that others chose. */
export const radarWarnings = ({ radar }: ConsoleState, worktree: string): readonly string[] => {
  if (radar === null) return []
  const before =
    radar.worktrees.find(({ name }) => name === worktree)?.needs.filter((name) => radar.order.includes(name)) ?? []
  return [
    ...opponentsOf(radar.pairs, worktree).map((opponent) => `${worktree} ${conflictWords(opponent)}.`),
    ...(before.length > 0 ? [radarText.buildsOn(worktree, before)] : []),
  ]
}

/** `conflicts with payments +2`: the first that it conflicts with, and how many more there are; empty where it merges. */
export const radarMark = ({ radar }: Pick<ConsoleState, 'radar'>, worktree: string): string => {
  const [first, ...more] = opponentsOf(radar?.pairs ?? [], worktree)
  if (!first) return ''
  return radarText.mark(first.conflict.problem !== null, first.name, more.length)
}

/** For the detail of a worktree: each that it conflicts with, and the files. */
export const radarLines = ({ radar, ...state }: ConsoleState, worktree: string): readonly Line[] => {
  const remark = radar?.worktrees.find(({ name }) => name === worktree)?.remark ?? null
  const width = widthIn(state)
  return [
    ...opponentsOf(radar?.pairs ?? [], worktree).flatMap((opponent) => conflictLines(opponent, width)),
    ...(remark === null ? [] : [...heading(radarText.remark, 'yellow'), ...paragraph(remark, width)]),
  ]
}

/** The known conflict of one pair, below the name of the other side. */
export const conflictLines = ({ name, conflict }: Opponent, width: number): readonly Line[] => [
  ...heading(radarText.pair(conflict.problem !== null, safeText(name)), 'red'),
  ...written(conflict.problem ?? conflict.files.join('\n'), width),
  ...(conflict.includesUncommitted ? [{ text: ours(radarText.uncommitted), dim: true }] : []),
]

/** The fact about the target's versions of changed tests. A failure is a warning: the person may know why they had to change. */
export const withTargetTests = (tests: TargetTests | null | undefined, width: number): readonly Line[] => {
  if (tests === null || tests === undefined) return []
  const passed = tests.exitCode === 0
  return verbatim(`${passed ? '✓' : '⚠'} ${targetTestsWords(tests)}`, width).map((line): Line => ({
    ...line,
    theirs: false,
    colour: passed ? 'green' : 'yellow',
  }))
}
