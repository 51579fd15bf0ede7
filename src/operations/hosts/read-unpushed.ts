import { z } from 'zod'
import { selectLastCommits, selectUnrecordedAttempts } from '../../db/attempts.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { usedRemote } from './steps/exchange.ts'

export const readUnpushed = operation({
  name: 'read_unpushed',
  summary: 'List the worktrees of a host of which the git remote does not have the last commits of their tasks',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ hostId: z.string() }),
  output: () => z.array(z.string()),
  run: (context, { hostId }) => unpushedOn(context, hostId),
})

export const unpushedOn = async (context: Context, hostId: string): Promise<string[]> => {
  const { db } = context
  if ((await usedRemote(context)) === null) return []
  // Of an attempt that has just ended, the commits are not known yet.
  const unrecorded = new Set((await selectUnrecordedAttempts(db, hostId)).map((row) => row.target_worktree))
  const last = await selectLastCommits(db, hostId)
  return (await selectWorktrees(db, { folders: ['ready'] }))
    .filter(({ host_id: host }) => host === hostId)
    .filter(({ name, pushed_oid: pushed, pushed_at: at }) => {
      const commit = last.get(name)
      // A push after the end of the attempt has whatever the branch had then.
      const isOlder = commit !== undefined && commit.oid !== pushed && (at === null || at < commit.endedAt)
      return unrecorded.has(name) || isOlder
    })
    .map(({ name }) => name)
}
