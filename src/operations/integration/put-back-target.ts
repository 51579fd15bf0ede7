import { z } from 'zod'
import { changeWatchedTarget, selectWatchedTarget } from '../../db/repository.ts'
import { shortOid } from '../../domain/integration/external-changes.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findMove } from './find-move.ts'
import { operation } from '../perform/operation.ts'

export const putBackTarget = operation({
  name: 'put_back_target',
  summary:
    'Put a target branch back to where it was before a move that aiswarm did not make; the commits of the move are archived first',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      target: z.string().describe('Branch'),
      to: z.string().nullable().describe('Commit that was shown; null if the branch was deleted'),
    }),
  output: () => z.object({ target: z.string(), at: z.string(), done: z.boolean() }),
  run: async (context, { target, to }) => {
    const row = await findMove(context, target, to)
    if (row.known_oid === null)
      throw new Refusal(
        'invalid_state',
        `Branch ${target} did not exist before. Accept it, or delete it with 'git branch -D'.`,
      )
    if (row.seen_oid !== row.moved_oid)
      throw new Refusal(
        'approval_void',
        `${target} is now at ${shortOid(row.seen_oid)}, so putting it back would also remove later commits. Accept the move, and revert its commits with 'git revert'.`,
      )
    await changeWatchedTarget(context.db, target, { put_back_at: context.now, problem: null })
    return { target, at: row.known_oid, done: false }
  },
  subject: ({ target, at }, { to }) => ({ details: { target, from: to, to: at } }),
  wish: ({ target }) => ({ kind: 'put_back_target', target }),
  reread: async ({ db }, { target, at }) => {
    const row = await selectWatchedTarget(db, target)
    if (row?.problem) throw new Refusal('target_dirty', row.problem)
    return { target, at, done: row?.moved_at === null }
  },
})
