import { z } from 'zod'
import {
  changeWatchedTarget,
  notMoved,
  saveWatchedCheckout,
  selectWatchedCheckout,
  selectWatchedTarget,
} from '../../db/repository.ts'
import type { WatchedTargetRow } from '../../db/schema/worktrees.ts'
import { shortOid } from '../../domain/integration/external-changes.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { guardedOf } from './configuration.ts'
import { fileChange, viewCheckout } from './drift.ts'

// A person's answers to changes that aiswarm did not make: accept, put back, trust.

export const acceptTarget = operation({
  name: 'accept_target',
  summary: 'Accept a move of a target branch that aiswarm did not make: exactly to the commit that was shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      target: z.string().describe('Branch'),
      to: z.string().nullable().describe('Commit that was shown; null if the branch was deleted'),
    }),
  output: () => z.object({ target: z.string(), to: z.string().nullable() }),
  run: async (context, { target, to }) => {
    const row = await findMove(context, target, to)
    await changeWatchedTarget(context.db, target, { known_oid: row.seen_oid, ...notMoved })
    return { target, to }
  },
  subject: (output) => ({ details: output }),
})

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

/** The move of a target that waits for a person. Refuses if there is none, or if it differs from the one shown. */
const findMove = async ({ db }: Pick<Context, 'db'>, target: string, to: string | null): Promise<WatchedTargetRow> => {
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

export const acceptCheckout = operation({
  name: 'accept_checkout',
  summary: 'Accept the changes in the main checkout: exactly those that were shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ changes: z.array(fileChange()).describe('As they were shown') }),
  output: () => z.object({ paths: z.array(z.string()) }),
  run: async ({ db }, { changes }) => {
    const row = await selectWatchedCheckout(db)
    const pending = viewCheckout(row)
    if (!row || pending === null) throw new Refusal('invalid_state', 'The main checkout has no unaccepted changes.')
    if (JSON.stringify(pending.changes) !== JSON.stringify(changes))
      throw new Refusal('approval_void', 'The main checkout has changed again since it was shown. Review it again.')
    const { id: _, ...rest } = row
    await saveWatchedCheckout(db, { ...rest, changes: null, agents: null, changed_at: null })
    return { paths: changes.map(({ path }) => path) }
  },
  subject: (output) => ({ details: output }),
})

export const trustConfiguration = operation({
  name: 'trust_configuration',
  summary: 'Accept the changed configuration, hooks and attributes of the repository: exactly what was shown',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ hash: z.string(), host: z.string().optional() }),
  output: () => z.object({ lines: z.array(z.string()), host: z.string().nullable() }),
  run: async ({ db, now, actor }, { hash, host }) => {
    const guarded = await guardedOf(db, host)
    const row = await guarded.select()
    if (!row || row.changed_hash === null)
      throw new Refusal('invalid_state', 'The configuration has no unaccepted changes.')
    if (row.changed_hash !== hash)
      throw new Refusal('approval_void', 'The configuration has changed again since it was shown. Review it again.')
    await guarded.trust({ hash, entries: row.changed_entries!, accepted_by: actor.id, accepted_at: now })
    await guarded.hold(null)
    return { lines: JSON.parse(row.changes!) as string[], host: guarded.host }
  },
  subject: ({ lines, host }) => ({ details: { lines, ...(host === null ? {} : { host }) } }),
})
