import type { TaskRow } from '../../../db/tasks.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { placeWishIn } from '../../../domain/task/metadata.ts'
import { wantsOwnWorktree } from '../../../domain/task/startable.ts'
import type { Context } from '../../perform/core.ts'
import { findHost } from '../../hosts/hosts.ts'

/** The advice where a wish cannot be met: for a task in the main checkout, and for one in a worktree. */
interface Instead {
  readonly here: string
  readonly there: (worktree: string) => string
}

/** Only a worktree that is yet to be built can choose its host; labels may be given to a host later. */
export const refuseWish = async (
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  task: Pick<TaskRow, 'target_worktree' | 'command' | 'wanted_agent_id' | 'metadata'>,
  instead: Instead,
): Promise<void> => {
  const { target_worktree: worktree, command, wanted_agent_id: agentId, metadata } = task
  const wish = placeWishIn(metadata)
  if (wish === undefined) return
  if (!wantsOwnWorktree({ worktree, agentId, command, metadata }, settings))
    throw new Refusal(
      'invalid_input',
      worktree === null
        ? `The task works in the main checkout, which is on the first host. ${instead.here}`
        : `Worktree ${worktree} decides on which host the task runs. ${instead.there(worktree)}`,
    )
  if (wish.host !== undefined) await findHost(db, wish.host)
}
