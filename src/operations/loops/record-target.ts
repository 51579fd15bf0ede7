import { z } from 'zod'
import { isMovingTo } from '../../db/integrations.ts'
import { changeWatchedTarget, insertWatchedTarget, notMoved, selectWatchedTarget } from '../../db/repository.ts'
import { agentsAt } from '../agents/steps/running-agents.ts'
import { operation } from '../perform/operation.ts'
import { commitsBetween } from '../integration/watched.ts'

export const recordTarget = operation({
  name: 'record_target',
  summary:
    'Record the position of a target branch: silently if it moved while no agent ran, else as a move that needs a person',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      target: z.string(),
      /** The recorded position when `commits` were counted; undefined if there was none. */
      before: z.string().nullable().optional(),
      found: z.string().nullable(),
      /** When it may have been moved: the last write of the ref, and the times in its reflog. */
      times: z.array(z.string()).min(1),
      /** Agents whose process has begun and is not recorded yet. */
      launching: z.array(z.string()),
      /** From the known commit to the one found. */
      commits: commitsBetween(),
    }),
  output: () =>
    z.object({
      recorded: z.enum(['first', 'known', 'person', 'moved', 'restored', 'later', 'void']),
      agents: z.array(z.string()),
    }),
  run: async (context, { target, before, found, times, launching, commits }) => {
    const { db, now } = context
    const row = await selectWatchedTarget(db, target)
    if (!row) {
      if (before !== undefined) return { recorded: 'void' as const, agents: [] }
      await insertWatchedTarget(db, target, found)
      return { recorded: 'first' as const, agents: [] }
    }
    if (row.seen_oid !== before) return { recorded: 'void' as const, agents: [] }
    if (row.seen_oid === found) return { recorded: 'known' as const, agents: [] }
    // A move by aiswarm is in progress and will be recorded at its end.
    if (
      found !== null &&
      ((await isMovingTo(db, target, found)) || (row.put_back_at !== null && found === row.known_oid))
    )
      return { recorded: 'later' as const, agents: [] }
    if (found === row.known_oid) {
      await changeWatchedTarget(db, target, { seen_oid: found, ...notMoved })
      return { recorded: 'restored' as const, agents: [] }
    }
    const agents = [...(await agentsAt(context, times, launching))]
    if (agents.length === 0) {
      await changeWatchedTarget(
        db,
        target,
        row.moved_at === null ? { known_oid: found, seen_oid: found } : { seen_oid: found },
      )
      return { recorded: 'person' as const, agents }
    }
    const known = row.agents === null ? [] : (JSON.parse(row.agents) as string[])
    const all = [...new Set([...known, ...agents])]
    await changeWatchedTarget(db, target, {
      seen_oid: found,
      moved_oid: found,
      moved_at: row.moved_at ?? now,
      commits: JSON.stringify(commits),
      agents: JSON.stringify(all),
      put_back_at: null,
      problem: null,
    })
    return { recorded: 'moved' as const, agents: all }
  },
  subject: ({ recorded, agents }, { target, before, found }) =>
    ['known', 'later', 'void'].includes(recorded)
      ? null
      : { details: { target, from: before ?? null, to: found, recorded, agents } },
})
