import { selectWatchedTarget } from '../../db/repository.ts'
import type { WatchedTargetRow } from '../../db/schema/worktrees.ts'
import { shortOid } from '../../domain/integration/external-changes.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'

/** The move of a target that waits for a person. Refuses if there is none, or if it differs from the one shown. */
export const findMove = async (
  { db }: Pick<Context, 'db'>,
  target: string,
  to: string | null,
): Promise<WatchedTargetRow> => {
  const row = await selectWatchedTarget(db, target)
  if (!row || row.moved_at === null)
    throw new Refusal(
      'invalid_state',
      `${target} is where aiswarm or a person put it; there is nothing to accept or put back.`,
    )
  if (row.moved_oid !== to)
    throw new Refusal(
      'approval_void',
      `${target} has moved again since it was shown, to ${shortOid(row.moved_oid)}. Review it again.`,
    )
  return row
}
