import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { selectHosts } from '../../db/hosts.ts'
import { changeWorktree, selectHostsOf, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import type { Instant } from '../../domain/words/time.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

// Where the work of a worktree is: on which host, and how much of it is on the git remote.

export const readElsewhere = operation({
  name: 'read_elsewhere',
  summary: 'Name the other hosts where live worktrees lie, and the one where an agent runs',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string().optional(), agentId: z.string().optional() }),
  output: () =>
    z.object({
      /** The name of the host of each worktree that does not lie here. */
      worktrees: z.record(z.string(), z.string()),
      /** Null if the agent runs here, or is not known. */
      agent: z.string().nullable(),
    }),
  run: async (context, { worktree, agentId }) => {
    const { db } = context
    const here = hostOf(context)
    const names = new Map((await selectHosts(db)).map(({ id, name }) => [id, name]))
    const nameOf = (id: string): string => names.get(id) ?? id
    const hosts =
      worktree === undefined
        ? new Map((await selectWorktrees(db)).map(({ name, host_id }) => [name, host_id]))
        : await selectHostsOf(db, [worktree])
    const agent = agentId === undefined ? undefined : await selectAgent(db, agentId)
    return {
      worktrees: Object.fromEntries([...hosts].flatMap(([name, id]) => (id === here ? [] : [[name, nameOf(id)]]))),
      agent: agent === undefined || agent.host_id === here ? null : nameOf(agent.host_id),
    }
  },
})

type Change = Parameters<typeof changeWorktree>[3]

/** Records which commit of a worktree the git remote has, and since when; null: none. */
const recordOnRemote = (name: string, summary: string, change: (oid: string | null, at: Instant | null) => Change) =>
  operation({
    ...{ name, summary },
    access: 'beat',
    authority: 'system',
    input: () =>
      z.strictObject({
        worktree: z.string(),
        oid: z
          .string()
          .regex(/^[0-9a-f]{40,64}$/)
          .nullable(),
      }),
    output: () => z.object({ recorded: z.boolean() }),
    run: async ({ db, now }, { worktree, oid }) => {
      const row = await selectWorktree(db, worktree)
      if (row === undefined) return { recorded: false }
      const at = oid === null ? null : now
      return { recorded: await changeWorktree(db, worktree, { folder: row.folder }, change(oid, at)) }
    },
  })

export const recordPushed = recordOnRemote(
  'record_pushed',
  'Record that the branch of a worktree is on the remote as on its host, or that it must be pushed again',
  (oid, at) => ({ pushed_oid: oid, pushed_at: at }),
)

export const recordSnapshot = recordOnRemote(
  'record_snapshot',
  'Record the snapshot of the uncommitted work of a worktree that is on the remote, or that there is none',
  (oid, at) => ({ wip_oid: oid, wip_at: at }),
)

export const readContinued = operation({
  name: 'read_continued',
  summary: 'Read the worktrees that another one continues, the nearest first, and the last snapshot of each',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string() }),
  output: () => z.array(z.object({ name: z.string(), hostId: z.string(), wipOid: z.string().nullable() })),
  run: async ({ db }, { worktree }) => {
    const found = new Map<string, { name: string; hostId: string; wipOid: string | null }>()
    for (let name: string | null = worktree; name !== null && !found.has(name);) {
      const row = await selectWorktree(db, name)
      if (row === undefined) break
      found.set(name, { name, hostId: row.host_id, wipOid: row.wip_oid })
      name = row.continues
    }
    return [...found.values()]
  },
})
