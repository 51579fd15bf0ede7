import { z } from 'zod'
import { selectAgents, selectHeldTasks, unassignWorktree } from '../../db/agents.ts'
import { markCommitsRecorded, selectAttempts } from '../../db/attempts.ts'
import { selectHost } from '../../db/hosts.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { clearTargetWorktree, selectTasks } from '../../db/tasks.ts'
import { changeWorktree, deleteUnbuiltWorktree, rememberFolder, selectWorktree } from '../../db/worktrees.ts'
import { isOver } from '../../domain/task/task.ts'
import { notContinuedIn, withFailure } from '../../domain/worktree/placement-failures.ts'
import { isOwnWorktree } from '../../domain/worktree/worktree.ts'
import { placesOf } from '../hosts/placement.ts'
import { rememberWithoutRun } from '../memory/attempts.ts'
import type { Context } from '../perform/core.ts'
import { findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { text } from '../perform/schemas.ts'
import { endAgent } from '../runs/agents.ts'
import { cancelTask, endedOf, endedTask, failHeld, waitingOf, waitingTask } from '../tasks/attempts.ts'
import { unfinished } from '../tasks/unfinished.ts'
import { endWaiting, giveBack, type GivenBack, leaveFormer } from './continuation.ts'

// The folder of a worktree was created, or could not be.

export const recordWorktree = operation({
  name: 'record_worktree',
  summary: "Record that the folder of a worktree was created, or that it could not be, which ends its tasks' attempts",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      baseOid: z.string().nullable(),
      error: text(8000).nullable(),
      inode: z.string().optional(),
    }),
  output: () =>
    z.object({
      recorded: z.boolean(),
      cancelled: z.array(z.int()),
      ended: z.array(endedTask()),
      waiting: z.array(waitingTask()),
      /** The worktree that has its tasks again, if it should have continued that one. */
      back: z.object({ worktree: z.string(), tasks: z.array(z.int()) }).optional(),
      /** True if it is built on another host, or later. */
      rests: z.literal(true).optional(),
    }),
  run: async (context, { name, baseOid, error, inode }) => {
    const { db } = context
    if (error !== null) {
      const { recorded, failed, cancelled, back, rests } = await abandonUnbuilt(context, name, error)
      return {
        recorded,
        cancelled: [...cancelled],
        ended: await endedOf(db, failed),
        waiting: await waitingOf(db, failed),
        ...(back === undefined ? {} : { back: { worktree: back.worktree, tasks: [...back.tasks] } }),
        ...(rests === undefined ? {} : { rests }),
      }
    }
    const built = { folder: 'ready', base_oid: baseOid, not_continued: '[]' } as const
    const recorded = await changeWorktree(db, name, { folder: 'building' }, built)
    if (recorded && inode !== undefined) await rememberFolder(db, name, inode)
    if (recorded) await leaveFormer(context, (await selectWorktree(db, name))!)
    return { recorded, cancelled: [], ended: [], waiting: [] }
  },
  subject: ({ recorded, cancelled, ended, waiting, back, rests }, { name, error }) =>
    recorded
      ? {
          worktree: name,
          details:
            error === null
              ? { error }
              : { error, cancelled, ended, waiting, ...(back ? { back } : {}), ...(rests ? { rests } : {}) },
        }
      : null,
})

/** The tasks of a worktree that could not be built. */
interface Abandoned {
  readonly recorded: boolean
  /** Tasks whose attempt failed with it. */
  readonly failed: readonly number[]
  /** Tasks that named it and are cancelled. */
  readonly cancelled: readonly number[]
  /** The worktree that has its tasks again, if it should have continued that one. */
  readonly back?: GivenBack
  /** True if it stays with its tasks, to be built on another host or later. */
  readonly rests?: true
}

/**
 * Ends a worktree whose folder could not be created. One that should have continued another one gives its tasks back; if
 * that one has ended, it stays and is built on another host, or later. Of any other, the attempts that waited for it fail; a
 * task with a worktree of its own gets another one at its next attempt. Tasks that name the worktree are cancelled, since
 * elsewhere they would change other files. Its row goes, unless such tasks still name it.
 */
const abandonUnbuilt = async (context: Context, name: string, why: string): Promise<Abandoned> => {
  const { db, now } = context
  const worktree = await selectWorktree(db, name)
  if (worktree?.folder !== 'building') return { recorded: false, failed: [], cancelled: [] }
  const back = await giveBack(context, worktree, why)
  if (back !== undefined) return { recorded: true, failed: [], cancelled: [], back }
  if (worktree.continues !== null && (await rest(context, worktree, why)))
    return { recorded: true, failed: [], cancelled: [], rests: true }
  const failed: number[] = []
  for (const agent of await selectAgents(db, { live: true, worktree: name }))
    failed.push(...(await failBeforeStart(context, agent, why)))
  const tasks = await selectTasks(db, { worktree: name })
  const named = tasks.filter(({ id, title }) => !isOwnWorktree(name, id, title))
  // The one that it continues has ended, which says nothing about its tasks: a person decides what becomes of them.
  const cancelled = worktree.continues === null ? named.filter(({ status }) => !isOver(status)) : []
  for (const task of cancelled) await cancelTask(context, task, why)
  for (const { id } of tasks.filter((task) => !named.includes(task))) await clearTargetWorktree(db, id, name)
  if (named.length > 0) {
    const change = { status: 'discarded', folder: 'gone', discard_reason: why, ended_at: now } as const
    must(await changeWorktree(db, name, { folder: 'building' }, change), `Worktree ${name}`)
  } else {
    await unassignWorktree(db, name)
    must(await deleteUnbuiltWorktree(db, name), `Worktree ${name}`)
  }
  return { recorded: true, failed, cancelled: cancelled.map(({ id }) => id) }
}

/**
 * Keeps a worktree with open tasks that no other one can have, and says which host could not build it. False if it has none,
 * or the board has one host, which would fail again.
 */
const rest = async (
  context: Context,
  { name, host_id: host, not_continued: failures }: WorktreeRow,
  why: string,
): Promise<boolean> => {
  const { db, now } = context
  const open = await selectTasks(db, { worktree: name, statuses: unfinished, limit: 1 })
  if (open.length === 0 || (await placesOf(context)) === undefined) return false
  await endWaiting(context, name)
  const failure = { host, name: (await selectHost(db, host))?.name ?? host, at: now, why }
  const list = JSON.stringify(withFailure(notContinuedIn(failures), failure))
  must(await changeWorktree(db, name, { folder: 'building' }, { not_continued: list }), `Worktree ${name}`)
  return true
}

/** Ends an agent that waited for its worktree, and fails the attempts that it holds. Returns their tasks. */
const failBeforeStart = async (context: Context, agent: AgentRow, why: string): Promise<number[]> => {
  const { db } = context
  const held = await selectHeldTasks(db, [agent.id])
  for (const { task_id: id, attempt } of held) {
    await failHeld(context, await findTask(db, id), why)
    // It made no commits, and no worktree is left in which they could be looked for.
    must(await markCommitsRecorded(db, id, attempt), `Attempt ${attempt} of task ${id}`)
    await rememberWithoutRun(
      context,
      agent,
      (await selectAttempts(db, id)).find((one) => one.attempt === attempt)!,
    )
  }
  await endAgent(context, agent, { launch_error: why })
  return held.map(({ task_id: id }) => id)
}
