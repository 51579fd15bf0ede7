import { ours, safeText } from '../../domain/words/safe-text.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'
import { type IntegrationLook, integrationLooks } from '../../../components/base/look.ts'
import type { WorktreeObservation } from '../../contracts/observations.ts'
import { awayWords, type Clock } from './away.ts'
import { rowText } from '../../text/states.ts'

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
