import { selectAgents, selectHeldTasks, unassignWorktree } from '../../db/agents.ts'
import { markCommitsRecorded } from '../../db/attempts.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectHost } from '../../db/hosts.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { moveTask, selectTasks } from '../../db/tasks.ts'
import {
  changeWorktree,
  deleteUnbuiltWorktree,
  insertWorktree,
  selectWorktree,
  selectWorktrees,
} from '../../db/worktrees.ts'
import { notContinuedIn, withFailure } from '../../domain/worktree/placement-failures.ts'
import { type Place, worktreePath } from '../hosts/placement.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { endStopped } from '../runs/agents.ts'

// A worktree continues another one on another host, or gives everything back if it cannot be built.

/**
 * Adds the worktree that continues another one on a host, and ends the agents that waited in the other one for this reason.
 * Returns its name.
 */
export const succeed = async (
  context: Context,
  worktree: WorktreeRow,
  { id, root }: Pick<Place, 'id' | 'root'>,
  why: string,
): Promise<string> => {
  const { db, now, settings } = context
  const { name, branch } = await freeNames(context, worktree)
  await insertWorktree(db, {
    name,
    branch_name: branch,
    source_branch: worktree.source_branch,
    created_by: worktree.created_by,
    created_at: now,
    status: 'active',
    path: worktreePath({ root: root ?? context.root, settings }, name),
    folder: 'building',
    host_id: id,
    continues: worktree.name,
    labels: worktree.labels,
  })
  must(
    await changeWorktree(db, worktree.name, { folder: worktree.folder }, { successor: name, move_to: null }),
    `Worktree ${worktree.name}`,
  )
  for (const agent of await selectAgents(db, { live: true, worktree: worktree.name }))
    if (agent.process === 'waiting') await endStopped(context, agent, why)
  return name
}

/** The names of the worktree and its branch with a number that neither has had. */
const freeNames = async (
  { db }: Context,
  { name, branch_name: branch }: WorktreeRow,
): Promise<{ readonly name: string; readonly branch: string }> => {
  const all = await selectWorktrees(db)
  for (let n = 2; ; n++) {
    const next = { name: `${name.slice(0, 46)}-${n}`, branch: `${branch}-${n}` }
    if (!all.some((one) => one.name === next.name || one.branch_name === next.branch)) return next
  }
}

/** The worktree that has the tasks of one that could not be built again. */
export interface GivenBack {
  readonly worktree: string
  readonly tasks: readonly number[]
}

/**
 * Gives everything of a worktree that could not be built back to the one that it should have continued: only from there
 * its work goes on. A lost host's worktree waits for another host or its own, one that should have moved stays. Undefined
 * if there is no such worktree any more.
 */
export const giveBack = async (
  context: Context,
  worktree: WorktreeRow,
  why: string,
): Promise<GivenBack | undefined> => {
  const { db } = context
  const former = worktree.continues === null ? undefined : await selectWorktree(db, worktree.continues)
  if (former === undefined || (former.status !== 'active' && !isMoving(former))) return undefined
  const { name } = worktree
  await endWaiting(context, name)
  const tasks = await giveTasks(context, name, former.name)
  if (worktree.successor === null) await reopen(context, former, worktree, why)
  else await continueFrom(context, former, worktree)
  await unassignWorktree(db, name)
  must(await deleteUnbuiltWorktree(db, name), `Worktree ${name}`)
  return { worktree: former.name, tasks }
}

/** Ends the agents that wait for a worktree which could not be built; their tasks use no retry. */
export const endWaiting = async (context: Context, name: string): Promise<void> => {
  const { db } = context
  for (const agent of await selectAgents(db, { live: true, worktree: name })) {
    const held = await selectHeldTasks(db, [agent.id])
    await endStopped(context, agent, `worktree ${name} could not be built`)
    // They made no commits, which the other worktree's host would look for.
    for (const { task_id: id, attempt } of held)
      must(await markCommitsRecorded(db, id, attempt), `Attempt ${attempt} of task ${id}`)
  }
}

const giveTasks = async ({ db }: Context, from: string, to: string): Promise<readonly number[]> => {
  const tasks = (await selectTasks(db, { worktree: from })).map(({ id }) => id)
  for (const id of tasks) must(await moveTask(db, id, from, to), `Task ${id}`)
  return tasks
}

/**
 * Undoes the move of a worktree: it stays where it is, with its tasks, and the one that should continue it and is not built
 * ends. Its host may have begun to build the other one, whose row therefore stays until it has removed
 * what there is. `why`: the sentence for the person who wanted the move; null if a person undoes it. Returns the name
 * of the other one, null if there is none.
 */
export const undoMove = async (context: Context, moving: WorktreeRow, why: string | null): Promise<string | null> => {
  const { db, now } = context
  const { name } = moving
  const unbuilt = await unbuiltSuccessor(db, moving)
  if (unbuilt !== undefined) {
    await endWaiting(context, unbuilt)
    await giveTasks(context, unbuilt, name)
    const reason = `the move of ${name} was undone`
    const ended = { status: 'discarded', folder: 'leaving', discard_reason: reason, ended_at: now } as const
    must(await changeWorktree(db, unbuilt, { folder: 'building' }, ended), `Worktree ${unbuilt}`)
  }
  const change = { ...stays, move_problem: why, ...(unbuilt === undefined ? {} : { successor: null }) }
  must(await changeWorktree(db, name, { folder: moving.folder }, change), `Worktree ${name}`)
  return unbuilt ?? null
}

/** The worktree that continues a moving one and is not built yet. */
export const unbuiltSuccessor = async (db: Db, moving: WorktreeRow): Promise<string | undefined> => {
  const next = !isMoving(moving) || moving.successor === null ? undefined : await selectWorktree(db, moving.successor)
  return next?.folder === 'building' ? next.name : undefined
}

/** True if its folder leaves because another worktree continues it on the host that a person named. */
const isMoving = ({ folder, move_to: to }: WorktreeRow): boolean => folder === 'leaving' && to !== null

/** A worktree that does not move after all. */
const stays = { status: 'active', folder: 'ready', discard_reason: null, ended_at: null, move_to: null } as const

/** Makes the former worktree one that nothing continues, unless a later one does. */
const reopen = async (
  { db, now }: Context,
  former: WorktreeRow,
  { name: unbuilt, host_id: host }: WorktreeRow,
  why: string,
): Promise<void> => {
  const name = (await selectHost(db, host))?.name ?? host
  const change = isMoving(former)
    ? { ...stays, move_problem: `Host ${name} could not continue it: ${why}` }
    : {
        not_continued: JSON.stringify(withFailure(notContinuedIn(former.not_continued), { host, name, at: now, why })),
      }
  const successor = former.successor === unbuilt ? null : former.successor
  must(
    await changeWorktree(db, former.name, { folder: former.folder }, { ...change, successor }),
    `Worktree ${former.name}`,
  )
}

/** The host of the unbuilt one was lost too, and another worktree continues that already. */
const continueFrom = async (
  { db }: Context,
  former: WorktreeRow,
  { name: unbuilt, successor }: WorktreeRow,
): Promise<void> => {
  const next = await selectWorktree(db, successor!)
  if (next !== undefined)
    must(
      await changeWorktree(db, next.name, { folder: next.folder }, { continues: former.name }),
      `Worktree ${next.name}`,
    )
  if (former.successor === unbuilt)
    must(await changeWorktree(db, former.name, { folder: former.folder }, { successor }), `Worktree ${former.name}`)
}

/** The worktree that another one continues, once that one is built: nothing of it waits for a host any more. */
export const leaveFormer = async ({ db }: Context, worktree: WorktreeRow): Promise<void> => {
  const former = worktree.continues === null ? undefined : await selectWorktree(db, worktree.continues)
  if (former?.successor !== worktree.name) return
  must(
    await changeWorktree(db, former.name, { folder: former.folder }, { not_continued: '[]', move_to: null }),
    `Worktree ${former.name}`,
  )
}
