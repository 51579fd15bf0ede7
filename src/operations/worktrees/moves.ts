import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectLatestIntegration } from '../../db/integrations.ts'
import { selectRunningRacers } from '../../db/races.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { moveTask, selectTasks } from '../../db/tasks.ts'
import { changeWorktree, selectWorktree } from '../../db/worktrees.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findHost } from '../hosts/hosts.ts'
import { type Place, placesOf } from '../hosts/placement.ts'
import { usedRemote } from '../hosts/remote.ts'
import type { Context } from '../perform/core.ts'
import { findActiveWorktree, findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { text, worktreeName } from '../perform/schemas.ts'
import { stopAgentsOf } from '../runs/agents.ts'
import { succeed, unbuiltSuccessor, undoMove } from './continuation.ts'

// A worktree moves in two steps: a person asks for it, and its host pushes the branch before another worktree continues it.

export const requestMove = operation({
  name: 'request_move',
  summary: 'Continue a worktree on another host, from its branch on the git remote; the old folder is archived',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ worktreeName, host: z.string().min(1) }),
  output: () =>
    z.object({
      name: z.string(),
      from: z.string(),
      to: z.string(),
      /** The worktree that continues it; null while its host has not pushed the branch. */
      successor: z.string().nullable(),
      /** True if it was moving elsewhere, and stays on its host after all. */
      stays: z.boolean(),
      /** The worktree that should have continued it. */
      ended: z.string().nullable(),
    }),
  run: async (context, { worktreeName: named, host }) => {
    const { db } = context
    const worktree = await findWorktree(db, named)
    const from = await findHost(db, worktree.host_id)
    const answer = { name: worktree.name, from: from.name, successor: null }
    const isHere = (await findHost(db, host)).id === from.id
    if (isHere && (await isUnderWay(context, worktree)))
      return { ...answer, to: from.name, stays: true, ended: await undoMove(context, worktree, null) }
    await refuseUnderWay(context, worktree, from)
    if (isHere) throw new Refusal('invalid_state', `Worktree ${worktree.name} is on host ${from.name} already.`)
    const place = await placeFor(context, host)
    await refuseUnmovable(context, worktree)
    refuseAway(worktree, from)
    must(
      await changeWorktree(db, worktree.name, { folder: 'ready' }, { move_to: place.id, move_problem: null }),
      `Worktree ${worktree.name}`,
    )
    return { ...answer, to: place.name, stays: false, ended: null }
  },
  subject: ({ name, from, to, stays, ended }) => ({
    worktree: name,
    details: { from, to, ...(stays ? { stays, ended } : {}) },
  }),
  wish: ({ name }) => ({ kind: 'move_worktree', worktree: name }),
  reread: async ({ db }, output) => {
    const row = await selectWorktree(db, output.name)
    const problem = row?.move_problem ?? null
    if (problem !== null) throw new Refusal('invalid_state', problem)
    return { ...output, successor: row?.successor ?? null }
  },
})

export const readMove = operation({
  name: 'read_move',
  summary: 'Read what has become of the move of a worktree',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName }),
  output: () =>
    z.object({
      isWaiting: z.boolean(),
      problem: z.string().nullable(),
      successor: z.string().nullable(),
      /** The name of the host to which it moves, or has moved; null if it stays. */
      to: z.string().nullable(),
    }),
  run: async ({ db }, { worktreeName: name }) => {
    const row = await selectWorktree(db, name)
    const successor = row?.successor ?? null
    const next = successor === null ? undefined : await selectWorktree(db, successor)
    const to = row?.move_to ?? next?.host_id
    return {
      isWaiting: row !== undefined && row.move_to !== null,
      problem: row?.move_problem ?? null,
      successor,
      to: to === undefined ? null : (await findHost(db, to)).name,
    }
  },
})

export const moveWorktree = operation({
  name: 'move_worktree',
  summary:
    'Record that the branch of a worktree is on the remote, so that another worktree continues it on another host',
  access: 'write',
  authority: 'system',
  /** `oid`: the commit that was pushed. */
  input: () => z.strictObject({ worktreeName, oid: z.string() }),
  output: () =>
    z.object({ name: z.string(), host: z.string(), successor: z.string().nullable(), tasks: z.array(z.int()) }),
  run: async (context, { worktreeName: named, oid }) => {
    const { db, now } = context
    const worktree = await findActiveWorktree(db, named)
    const { name, move_to: to } = worktree
    if (to === null || worktree.pushed_oid !== oid) return { name, host: '', successor: null, tasks: [] }
    const place = await placeFor(context, to)
    await refuseUnmovable(context, worktree)
    const why = `worktree ${name} moves to host ${place.name}`
    // A failed one can be retried there, and no longer in a worktree that has ended.
    const tasks = (await selectTasks(db, { worktree: name })).flatMap(({ id, status }) =>
      status === 'pending' || status === 'failed' ? [id] : [],
    )
    const successor = await succeed(context, worktree, place, why)
    for (const id of tasks) must(await moveTask(db, id, name, successor), `Task ${id}`)
    // Until the other one is built, its folder stays: then it may have to go on here.
    const ended = { status: 'discarded', folder: 'leaving', discard_reason: `moved to host ${place.name}` } as const
    must(
      await changeWorktree(db, name, { folder: 'ready' }, { ...ended, ended_at: now, move_to: to }),
      `Worktree ${name}`,
    )
    await stopAgentsOf(context, name, why)
    return { name, host: place.name, successor, tasks }
  },
  subject: ({ name, host, successor, tasks }) =>
    successor === null ? null : { worktree: name, details: { host, successor, tasks } },
})

export const refuseMove = operation({
  name: 'refuse_move',
  summary: 'Record why a worktree cannot be moved; it stays where it is',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ worktreeName, problem: text(2000) }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { worktreeName: name, problem }) => ({
    recorded: await changeWorktree(db, name, { folder: 'ready' }, { move_to: null, move_problem: problem }),
  }),
})

const placeFor = async (context: Context, named: string): Promise<Place> => {
  const { id, name, state } = await findHost(context.db, named)
  if (state === 'gone') throw new Refusal('invalid_state', `Host ${name} has left the board. Name another host.`)
  const place = ((await placesOf(context)) ?? []).find((one) => one.id === id)
  if (place === undefined)
    throw new Refusal('invalid_state', 'The board has one host, so there is nowhere to move a worktree.')
  if (place.closed !== undefined)
    throw new Refusal('invalid_state', `No worktree is built on host ${name} now: ${place.closed}.`)
  return place
}

/** True if the move can still be undone: the worktree that continues it is not built. */
const isUnderWay = async ({ db }: Context, worktree: WorktreeRow): Promise<boolean> =>
  worktree.move_to !== null && (worktree.folder === 'ready' || (await unbuiltSuccessor(db, worktree)) !== undefined)

/** A worktree that has ended cannot be moved; of one that another host should build meanwhile, that is said. */
const refuseUnderWay = async (context: Context, worktree: WorktreeRow, from: HostRow): Promise<void> => {
  const { name, status, successor, move_to: to } = worktree
  if (status === 'active') return
  if (to === null || !(await isUnderWay(context, worktree)))
    throw new Refusal('invalid_state', `Worktree ${name} is already ${status}.`)
  throw new Refusal(
    'invalid_state',
    `Host ${(await findHost(context.db, to)).name} is building ${successor}, which continues ${name}. Wait until it is built, or undo the move with 'aiswarm worktree move ${name} --host ${from.name}'.`,
  )
}

/** The host of a worktree pushes it before another one continues it. */
const refuseAway = ({ name }: WorktreeRow, { name: host, state, beat_at: beatAt }: HostRow): void => {
  if (state === 'lost')
    throw new Refusal(
      'invalid_state',
      `Host ${host} was declared lost, so it cannot push ${name}. If tasks are left in ${name}, another host continues it from what was pushed.`,
    )
  if (beatAt === null)
    throw new Refusal(
      'invalid_state',
      `No worker runs on host ${host}, which would have to push ${name}. Start 'aiswarm worker' there, then move it.`,
    )
}

const refuseUnmovable = async (context: Context, worktree: WorktreeRow): Promise<void> => {
  const { db } = context
  const { name } = worktree
  const refuse = (sentence: string): never => {
    throw new Refusal('invalid_state', sentence)
  }
  if (worktree.folder !== 'ready') refuse(`Worktree ${name} is still being created. Try again in a moment.`)
  const next = worktree.successor === null ? undefined : await selectWorktree(db, worktree.successor)
  if (next?.status === 'active') refuse(`Worktree ${next.name} continues ${name} already. Move that one.`)
  if ((await usedRemote(context)) === null)
    refuse("Its host and the other exchange no code: set a git remote with 'aiswarm fleet remote URL' first.")
  const busy = (await selectAgents(db, { live: true, worktree: name })).find(({ process }) => process !== 'waiting')
  if (busy) refuse(`Agent ${busy.id} works in ${name}. Let it finish, or terminate it, then move the worktree.`)
  const [held] = await selectTasks(db, { worktree: name, statuses: ['claimed', 'in_progress'] })
  if (held) refuse(`Task ${held.id} is being worked on in ${name}. Let it finish, then move the worktree.`)
  const integration = await selectLatestIntegration(db, name)
  if (integration && integration.ended_at === null)
    refuse(`The integration of ${name} is open. Approve or reject it first.`)
  if ((await selectRunningRacers(db)).some((racer) => racer.worktree === name))
    refuse(`Worktree ${name} takes part in a race, which is about this folder. Choose a winner first.`)
}
