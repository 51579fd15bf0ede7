import { z } from 'zod'
import { changeIntegration, selectLatestIntegration } from '../../db/integrations.ts'
import { selectTasks } from '../../db/tasks.ts'
import { changeWorktree } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { restsUnbuilt } from '../../domain/worktree/placement-failures.ts'
import { findActiveWorktree, findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { text, worktreeName } from '../perform/schemas.ts'
import { stopAgentsOf } from '../runs/agents.ts'
import { cancelTask } from '../tasks/attempts.ts'
import { mayComeBack, unbuiltAfter } from '../tasks/unfinished.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const discardWorktree = operation({
  name: 'discard_worktree',
  summary: 'Discard a worktree: its agents stop, its unfinished tasks are cancelled, its content is archived',
  access: 'write',
  authority: 'planner',
  grave: true,
  input: () => z.strictObject({ worktreeName, reason: text(2000).trim().min(1, 'a reason is required') }),
  output: () => worktreeView().extend({ /** Its tasks that were not finished. */ cancelled: z.array(z.int()) }),
  run: async (context, input) => {
    const { db, now } = context
    const worktree = await findActiveWorktree(db, input.worktreeName)
    const rests = restsUnbuilt(worktree)
    if (worktree.folder !== 'ready' && !rests)
      throw new Refusal('invalid_state', `Worktree ${worktree.name} is still being created. Try again in a moment.`)
    const unbuilt = await unbuiltAfter(db, worktree.name)
    if (unbuilt !== undefined) throw new Refusal('invalid_state', mayComeBack(worktree.name, unbuilt))
    const integration = await selectLatestIntegration(db, worktree.name)
    if (integration?.status === 'approved' || integration?.status === 'moving') {
      throw new Refusal(
        'invalid_state',
        `The integration of ${worktree.name} is approved and in progress, so it cannot be discarded now.`,
      )
    }
    if (integration && integration.ended_at === null)
      must(
        await changeIntegration(db, integration.id, integration.status, {
          status: 'rejected',
          ended_at: now,
          problem: `discarded: ${input.reason}`,
        }),
        `The integration of ${worktree.name}`,
      )
    const unfinished = await selectTasks(db, {
      worktree: worktree.name,
      statuses: ['pending', 'claimed', 'in_progress'],
    })
    for (const task of unfinished)
      await cancelTask(context, task, `worktree ${worktree.name} was discarded: ${input.reason}`)
    must(
      await changeWorktree(
        db,
        worktree.name,
        { folder: worktree.folder },
        {
          ...{ status: 'discarded', discard_reason: input.reason, ended_at: now },
          // The host that could not build it has removed what there was.
          folder: rests ? 'gone' : 'leaving',
        },
      ),
      `Worktree ${worktree.name}`,
    )
    await stopAgentsOf(context, worktree.name, `worktree ${worktree.name} was discarded`)
    const view = (await viewWorktrees(db, [await findWorktree(db, worktree.name)]))[0]!
    return { ...view, cancelled: unfinished.map(({ id }) => id) }
  },
  subject: (worktree, input) => ({
    worktree: worktree.name,
    details: { reason: input.reason, cancelled: worktree.cancelled },
  }),
  wish: (worktree) => ({ kind: 'remove_worktree', worktree: worktree.name }),
  reread: async ({ db }, { name, cancelled }) => ({
    ...(await viewWorktrees(db, [await findWorktree(db, name)]))[0]!,
    cancelled,
  }),
})
