import { silentSince } from '../../domain/host/host.ts'
import { clockTime, type Instant } from '../../domain/words/time.ts'
import { ours, safeText } from '../../domain/words/safe-text.ts'
import type { WorktreeView } from '../../operations/views/views.ts'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'
import { type IntegrationLook, integrationLooks } from '../../../components/base/look.ts'
import type { WorktreeObservation } from '../../contracts/outside.ts'
import { rowText } from '../../text/rows.ts'

/** The moment, and after how long a host is silent (ms). */
interface Clock {
  readonly now: Instant
  readonly silentAfter: number
}

// The contents of a row of the worktrees. Only visible rows are created.

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
  const away = awayWords(worktree, clock)
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

/** Since when its host has not been heard of, or that it was declared lost; empty otherwise. */
const awayWords = ({ host, status }: WorktreeView, { now, silentAfter }: Clock): string => {
  if (host === undefined || status !== 'active') return ''
  const since = silentSince(host, now, silentAfter)
  return host.state === 'lost' ? rowText.hostLost : since === undefined ? '' : rowText.hostSilent(clockTime(since))
}

const standing = (
  { status, folder, integration }: WorktreeView,
  clear: boolean,
): readonly [IntegrationLook | null, string] => {
  if (status === 'discarded') return [integrationLooks.rejected, rowText.discarded]
  if (folder === 'building') return [integrationLooks.requested, rowText.beingBuilt]
  if (!integration) return [null, '']
  const look = integrationLooks[integration.status]
  if (integration.status === 'conflicted' && integration.conflicts.length === 0 && integration.problem !== null)
    return [look, rowText.held(integration.problem)]
  if (integration.status === 'conflicted')
    return [look, clear ? rowText.conflictedWith(integration.target) : rowText.conflictsWith(integration.target)]
  return [
    look,
    integration.status === 'ready' && integration.problem !== null ? rowText.held(integration.problem) : look.word,
  ]
}
