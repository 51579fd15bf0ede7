import { z } from 'zod'
import { selectLastCommits, selectUnrecordedAttempts } from '../../db/attempts.ts'
import { countRunning, countWorktrees, selectHosts, selectUnsettledReturns } from '../../db/hosts.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { hostStates, silentSince, unpushedSince } from '../../domain/host/host.ts'
import { type Context, hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { labelsOf, mostOn, whyHeldBack } from './placement.ts'
import { usedRemote } from './remote.ts'

export const hostView = lazyObject(() => ({
  id: z.string(),
  name: z.string(),
  state: z.enum(hostStates),
  /** True for the host of this checkout. */
  here: z.boolean(),
  /** The last heartbeat, if there has been none for too long. */
  silentSince: z.string().nullable(),
  /** Why it starts nothing new now, such as that its disk is full or its machine busy; null if it may. */
  hold: z.string().nullable(),
  /** True if it was drained only until its next worker starts. */
  resumesOnStart: z.boolean(),
  /** Programs that run or wait for a processor there, for each processor, over the last minute; null if that is not known. */
  load: z.number().nullable(),
  /** The part of its memory that is available (0 to 1); null if that is not known. */
  memoryFree: z.number().nullable(),
  /** As whom its agents run, and whether in a sandbox; null if that is not known. */
  agents: z.object({ as: z.string(), unconfined: z.string().nullable() }).nullable(),
  /** Since when its commits have not reached the git remote, if that is too long. */
  unpushedSince: z.string().nullable(),
  labels: z.array(z.string()),
  /** The agent kinds that are installed there; null if that is not known. */
  kinds: z.array(z.string()).nullable(),
  running: z.int(),
  /** The most processes at a time; null: only the limit of the session. */
  maxParallel: z.int().nullable(),
  worktrees: z.int(),
  epoch: z.int(),
  root: z.string().nullable(),
  /** How a person reaches it by SSH; null: not at all. */
  ssh: z.string().nullable(),
  /** The account as which its agents are logged in, if it shares that with others; null: one of its own. */
  account: z.string().nullable(),
  program: z.string().nullable(),
  beatAt: z.string().nullable(),
  joinedAt: z.string().nullable(),
  /** The worktrees with which it came back after it was declared lost, until a person has seen them. */
  returned: z.array(
    z.object({
      worktree: z.string(),
      returnedAt: z.string(),
      /** All its files as they were then; null if they could not be kept, for the given reason, or its folder was gone. */
      ref: z.string().nullable(),
      problem: z.string().nullable(),
      /** The worktree that continues it on another host. */
      successor: z.string().nullable(),
    }),
  ),
}))
export type HostView = z.output<ReturnType<typeof hostView>>

export const viewHosts = async (context: Context, rows: readonly HostRow[]): Promise<HostView[]> => {
  const { db, now, settings } = context
  const [running, worktrees] = [await countRunning(db), await countWorktrees(db)]
  const returned = Map.groupBy(await selectUnsettledReturns(db), ({ host_id: id }) => id)
  const alone = (await selectHosts(db)).length === 1
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: row.state,
    here: row.id === hostOf(context),
    silentSince: silentSince({ state: row.state, beatAt: row.beat_at }, now, settings.fleet.silentAfter) ?? null,
    hold: whyHeldBack(row, alone),
    resumesOnStart: row.state === 'draining' && row.stopping_at !== null,
    load: row.load,
    memoryFree: row.memory_free,
    agents:
      row.agents_as === null || row.unconfined === null
        ? null
        : { as: row.agents_as, unconfined: row.unconfined === '' ? null : row.unconfined },
    unpushedSince: unpushedSince(row.unpushed_at, now),
    labels: [...labelsOf(row)],
    kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as string[]),
    running: running.get(row.id) ?? 0,
    maxParallel: mostOn(row, alone),
    worktrees: worktrees.get(row.id) ?? 0,
    epoch: row.epoch,
    root: row.root,
    ssh: row.ssh,
    account: row.account,
    program: row.program,
    beatAt: row.beat_at,
    joinedAt: row.joined_at,
    returned: (returned.get(row.id) ?? []).map(({ worktree, returned_at, ref, problem, successor }) => ({
      ...{ worktree, returnedAt: returned_at, ref, problem, successor: successor ?? null },
    })),
  }))
}

export const listHosts = operation({
  name: 'list_hosts',
  summary: 'List the hosts of the board',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(hostView()),
  run: async (context) => viewHosts(context, await selectHosts(context.db)),
})

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
