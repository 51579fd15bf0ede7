import { z } from 'zod'
import { selectLandings, selectQueue } from '../../db/integrations.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { integrationView, viewIntegration } from '../views/worktrees.ts'
import { once } from '../../domain/words/once.ts'

/** An approved integration that waits for its turn, or whose move was begun. */
const queued = once(() =>
  integrationView().extend({ worktree: z.string(), branch: z.string(), isElsewhere: z.boolean() }),
)
export type Queued = z.output<ReturnType<typeof queued>>

/** How many moves of a target are looked at: approvals before them are prepared again. */
const LANDINGS = 1000

export const readQueue = operation({
  name: 'read_queue',
  summary: 'List the approved integrations of a target in merge order',
  access: 'read',
  authority: 'system',
  input: () =>
    z.strictObject({ target: z.string(), at: z.string().nullable().describe('Current commit of the target') }),
  output: () =>
    z.object({
      queue: z.array(queued()),
      /** Earlier commits of the target, from which only aiswarm moved it to the present one, newest first. */
      passed: z.array(z.string()),
    }),
  run: async (context, { target, at }) => {
    const { db } = context
    const rows = await selectQueue(db, target)
    const queue = await Promise.all(
      rows.map(async (row) => {
        const worktree = (await selectWorktree(db, row.worktree))!
        return {
          ...viewIntegration(row),
          worktree: row.worktree,
          branch: worktree.branch_name,
          isElsewhere: worktree.host_id !== hostOf(context),
        }
      }),
    )
    const passed: string[] = []
    if (at !== null && rows.some((row) => row.target_oid !== at)) {
      const before = new Map((await selectLandings(db, target, LANDINGS)).map(({ from, to }) => [to, from]))
      for (let oid = before.get(at); oid !== undefined && passed.length < LANDINGS; oid = before.get(oid))
        passed.push(oid)
    }
    return { queue, passed }
  },
})
