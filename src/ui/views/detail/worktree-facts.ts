import { bytes } from '../../../domain/words/counts.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { safeWords, worktreeSince } from '../../../domain/worktree/status.ts'
import type { WorktreeView } from '../../../operations/views/worktrees.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { integrationLooks } from '../../../../components/base/look.ts'
import { fact, longFact, moment, paragraph, widthIn } from '../../rows/lines.ts'
import { hostFact, silentAfterIn } from '../../rows/hosts.ts'
import { mergesNow, reasonOfWorktree } from '../../rows/worktrees.ts'
import type { ConsoleState } from '../../core/state.ts'
import { standing, type Titled } from './section.ts'
import { worktreeText } from '../../../text/integration.ts'
import { rowText } from '../../../text/states.ts'

// The facts at the top of a worktree's detail; its sections follow them.

export const worktreeLines = (state: ConsoleState, worktree: WorktreeView): Titled => {
  const { integration } = worktree
  const width = widthIn(state)
  const seen = state.observed[worktree.name]
  const size = state.sizes[worktree.name]
  return [
    safeText(worktreeText.title(worktree.name)),
    [
      ...(integration
        ? [entering(integration, mergesNow(state, worktree))]
        : [{ text: safeText(worktreeText.folder(worktree.status, worktree.folder)) }]),
      ...paragraph(reasonOfWorktree(state, worktree, worktreeSince(worktree)), width),
      // A small screen shows them without scrolling: they say what is lost with a host that stays away.
      ...fact(worktreeText.facts.host, hostFact(worktree.host, { now: state.now, silentAfter: silentAfterIn(state) })),
      ...longFact(
        worktreeText.facts.safeAsOf,
        worktree.safeAsOf ? safeWords(worktree.safeAsOf, (at) => moment(state, at)) : null,
        width,
      ),
      ...longFact(worktreeText.facts.branch, worktree.branchName, width),
      ...longFact(worktreeText.facts.forkedFrom, worktree.sourceBranch, width),
      ...longFact(worktreeText.facts.path, worktree.path, width),
      ...fact(worktreeText.facts.createdBy, worktree.createdBy),
      ...fact(
        worktreeText.facts.commits,
        seen ? `${worktreeText.distance(seen.ahead, seen.behind)}, +${seen.added} −${seen.removed}` : null,
      ),
      ...fact(worktreeText.facts.uncommitted, seen && seen.dirty !== null ? worktreeText.paths(seen.dirty) : null),
      ...fact(worktreeText.facts.port, worktree.port),
      ...fact(
        worktreeText.facts.size,
        size ? (size.complete ? bytes(size.bytes) : worktreeText.atLeast(bytes(size.bytes))) : null,
      ),
      ...longFact(worktreeText.facts.discarded, worktree.discardReason, width),
      ...longFact(worktreeText.facts.archive, worktree.archiveRef, width),
    ],
  ]
}

/** The state in the words of its row. */
const entering = ({ status, target }: NonNullable<WorktreeView['integration']>, clear: boolean): Line => {
  const look = integrationLooks[status]
  if (status !== 'conflicted') return standing(look, worktreeText.into(target))
  return standing({ ...look, word: safeText(clear ? rowText.conflictedWith(target) : rowText.conflictsWith(target)) })
}
