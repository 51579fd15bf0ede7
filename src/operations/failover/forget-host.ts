import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost, selectFleet, settleReturns } from '../../db/hosts.ts'
import { selectLatestIntegration } from '../../db/integrations.ts'
import { releaseLease, selectLease } from '../../db/leases.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { changeWorktree, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { nameOn, workRef } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { countOf } from '../../domain/words/counts.ts'
import { findHost } from '../hosts/hosts.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { hostRole } from '../perform/roles.ts'
import { stopAgentsOf } from '../runs/agents.ts'
import { isUnfinished, unbuiltAfter } from '../tasks/unfinished.ts'

export const forgetHost = operation({
  name: 'forget_host',
  summary: 'Remove a host from the board: its clone writes nothing any more, and comes back only with a new code',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ host: z.string().min(1) }),
  output: () =>
    z.object({
      id: z.string(),
      name: z.string(),
      epoch: z.int(),
      /** True if worktrees with which it had come back waited for a person. */
      settled: z.boolean(),
      /** Its worktrees that ended with it; the ref is what the git remote has of each, null if nothing was pushed. */
      worktrees: z.array(z.object({ name: z.string(), ref: z.string().nullable() })),
    }),
  run: async (context, { host: named }) => {
    const { db, now } = context
    const host = await findHost(db, named)
    const { id, name, epoch } = host
    if (id === LOCAL)
      throw new Refusal(
        'invalid_state',
        `Host ${name} has the main checkout of this board, so it cannot be forgotten. 'aiswarm db copy' moves the board.`,
      )
    if (host.state === 'gone') throw new Refusal('invalid_state', `Host ${name} was forgotten already.`)
    await refuseLiveAgents(context, host)
    const worktrees = await ownWorktrees(context, host)
    for (const worktree of worktrees) await end(context, host, worktree)
    const change = { state: 'gone', epoch: epoch + 1, beat_at: null } as const
    must(await changeHost(db, id, { states: [host.state] }, change), `Host ${name}`)
    const settled = await settleReturns(db, id, now)
    const lease = await selectLease(db, hostRole(id))
    if (lease) await releaseLease(db, hostRole(id), lease.holder)
    const { remote_refs: place } = await selectFleet(db)
    return {
      ...{ id, name, epoch: epoch + 1, settled },
      worktrees: worktrees.map((one) => ({
        name: one.name,
        ref: one.pushed_oid === null ? null : nameOn(place, workRef(one.name)),
      })),
    }
  },
  subject: ({ id, name, worktrees }) => ({
    details: { host: name, id, worktrees: worktrees.map((one) => one.name) },
  }),
})

/** The agents of a lost host have ended on the board. */
const refuseLiveAgents = async ({ db }: Context, { id, name }: HostRow): Promise<void> => {
  const live = (await selectAgents(db, { live: true })).filter(
    (agent) => agent.host_id === id && (agent.process === 'wanted' || agent.process === 'started'),
  )
  if (live.length === 0) return
  throw new Refusal(
    'invalid_state',
    `${countOf(live.length, 'agent')} of host ${name} ${live.length === 1 ? 'is' : 'are'} working: ${live.map((agent) => agent.id).join(', ')}. Let it finish with 'aiswarm host drain ${name} --wait 10m', or declare it lost.`,
  )
}

/** Its worktrees whose folders end with it. Refuses if one of them is still needed. */
const ownWorktrees = async ({ db }: Context, { id, name, state }: HostRow): Promise<readonly WorktreeRow[]> => {
  const own = (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).filter(
    ({ host_id: host }) => host === id,
  )
  const list = (rows: readonly WorktreeRow[]): string => rows.map((row) => row.name).join(', ')
  if (own.length > 0 && state !== 'lost')
    throw new Refusal(
      'would_lose_work',
      `Host ${name} has ${countOf(own.length, 'worktree')}: ${list(own)}. Merge or discard each, or move it with 'aiswarm worktree move'; if the host does not come back, declare it lost first.`,
    )
  const needed: WorktreeRow[] = []
  for (const worktree of own) if (await isNeeded({ db }, worktree)) needed.push(worktree)
  if (needed.length > 0)
    throw new Refusal(
      'would_lose_work',
      `Work of host ${name} is not finished in ${list(needed)}: a task is pending there, an integration is open, or the worktree that continues it is not built. Wait until another host continues it, or cancel the task and reject the integration.`,
    )
  return own
}

const isNeeded = async ({ db }: Pick<Context, 'db'>, { name, status, successor }: WorktreeRow): Promise<boolean> => {
  // The one that continues it begins with its snapshot, and gives its tasks back if it cannot be built.
  if (successor !== null && (await selectWorktree(db, successor))?.folder === 'building') return true
  if ((await unbuiltAfter(db, name)) !== undefined) return true
  if (status !== 'active') return false
  if (await isUnfinished(db, name)) return true
  const integration = await selectLatestIntegration(db, name)
  return integration !== undefined && integration.ended_at === null
}

/** The folder is out of reach: only what was pushed of its branch is left. */
const end = async (context: Context, { name: host }: HostRow, { name, status, folder }: WorktreeRow): Promise<void> => {
  const { db, now } = context
  await stopAgentsOf(context, name, `host ${host} was forgotten`)
  const ended =
    status === 'active'
      ? ({ status: 'discarded', discard_reason: `its host ${host} was forgotten`, ended_at: now } as const)
      : {}
  must(await changeWorktree(db, name, { folder }, { ...ended, folder: 'gone' }), `Worktree ${name}`)
}
