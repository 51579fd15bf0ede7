import { z } from 'zod'
import { selectAgentsOfHost } from '../../db/agents.ts'
import { changeHost, insertReturn, selectFleet } from '../../db/hosts.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import type { HostState } from '../../domain/host/host.ts'
import { findHost } from '../hosts/hosts.ts'
import { operation } from '../perform/operation.ts'

export const readLostRuns = operation({
  name: 'read_lost_runs',
  summary: 'List the runs whose processes may still be on a host that was declared lost, and its worktrees',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ hostId: z.string() }),
  output: () =>
    z.object({
      runs: z.array(
        z.object({
          agentId: z.string(),
          run: z.int(),
          /** Null if the process was not recorded. */
          identity: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }).nullable(),
        }),
      ),
      /** True if the board was restored to an earlier time, so that this host may have what the board does not know. */
      restored: z.boolean(),
      /** The names of all worktrees of the board. */
      known: z.array(z.string()),
      worktrees: z.array(
        z.object({
          name: z.string(),
          branch: z.string(),
          source: z.string(),
          path: z.string(),
          baseOid: z.string().nullable(),
          createdAt: z.string(),
        }),
      ),
    }),
  run: async ({ db }, { hostId }) => ({
    restored: (await findHost(db, hostId)).generation < (await selectFleet(db)).generation,
    known: (await selectWorktrees(db)).map(({ name }) => name),
    runs: (await selectAgentsOfHost(db, hostId)).map(({ id, run, process_id, process_started_at, boot_id }) => ({
      agentId: id,
      run,
      identity: process_id === null ? null : { pid: process_id, startedAt: process_started_at!, bootId: boot_id! },
    })),
    worktrees: (await selectWorktrees(db, { folders: ['ready'] }))
      .filter(({ host_id: host }) => host === hostId)
      .map(({ name, branch_name, source_branch, path, base_oid, created_at }) => ({
        ...{ name, branch: branch_name, source: source_branch, path, baseOid: base_oid, createdAt: created_at },
      })),
  }),
})

export const returnHost = operation({
  name: 'return_host',
  summary: 'Record that a lost host is back, that nothing of what was ended meanwhile runs there, and what it has kept',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      hostId: z.string(),
      kept: z
        .array(
          z.strictObject({
            worktree: z.string(),
            ref: z.string().nullable(),
            problem: z.string().nullable(),
            pushed: z.boolean(),
          }),
        )
        .default([]),
    }),
  output: () => z.object({ name: z.string(), returned: z.boolean() }),
  run: async ({ db, now }, { hostId, kept }) => {
    const { generation } = await selectFleet(db)
    const host = await findHost(db, hostId)
    const isBehind = host.generation < generation && host.state !== 'gone'
    const returned =
      (host.state === 'lost' || isBehind) &&
      (await changeHost(db, hostId, { states: [host.state] }, { state: stateOnReturn(host), generation }))
    if (returned)
      for (const { worktree, ref, problem, pushed } of kept)
        await insertReturn(db, {
          ...{ host_id: hostId, worktree, returned_at: now, ref, problem },
          pushed: pushed ? 1 : 0,
        })
    return { returned, name: host.name }
  },
  subject: ({ name, returned }, { kept = [] }) =>
    returned ? { details: { host: name, worktrees: kept.map(({ worktree }) => worktree) } } : null,
})

/** A person who has drained a host, for work on it perhaps, has not resumed it by its loss. */
const stateOnReturn = ({ state, lost_drained: drained }: Pick<HostRow, 'state' | 'lost_drained'>): HostState => {
  if (state !== 'lost') return state
  return drained === 1 ? 'draining' : 'up'
}
