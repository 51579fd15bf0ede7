import { z } from 'zod'
import { hasReturnedSince, selectHosts } from '../../db/hosts.ts'
import { selectRunningRacers } from '../../db/races.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { moveTask, selectTasks, type TaskRow } from '../../db/tasks.ts'
import { changeWorktree, deletePort, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { LOST } from '../../domain/host/host.ts'
import { kindOf } from '../../domain/task/startable.ts'
import { isLeftOut, notContinuedIn, restsUnbuilt, withoutHost } from '../../domain/worktree/placement-failures.ts'
import { portPurposes } from '../../domain/worktree/worktree.ts'
import { findHost } from '../hosts/hosts.ts'
import { choosePlace, type Place, placesOf, worktreePath } from '../hosts/placement.ts'
import { usedRemote } from '../hosts/remote.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { refuseUnlessLeading } from '../perform/roles.ts'
import { startableOf } from '../tasks/startable.ts'
import { succeed, unbuiltSuccessor, undoMove } from '../worktrees/continuation.ts'

// Worktrees of lost hosts continue on other hosts.

export const readStranded = operation({
  name: 'read_stranded',
  summary: 'Tell whether a worktree of a lost host has tasks left that a host could continue now',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () => z.object({ stranded: z.boolean() }),
  run: async (context) => {
    if ((await lostMoves(context)).length > 0) return { stranded: true }
    if ((await usedRemote(context)) === null) return { stranded: false }
    for (const worktree of await restingOf(context))
      if ((await anotherPlace(context, worktree)) !== undefined) return { stranded: true }
    for (const worktree of await strandedOf(context)) {
      const tasks = await waitingIn(context, worktree.name)
      if (tasks.length > 0 && (await whereTo(context, worktree, tasks)) !== undefined) return { stranded: true }
    }
    return { stranded: false }
  },
})

export const continueStranded = operation({
  name: 'continue_stranded',
  summary: 'Continue worktrees of lost hosts elsewhere, from what was pushed of them: each that has tasks left',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      continued: z.array(
        z.object({ worktree: z.string(), successor: z.string(), host: z.string(), tasks: z.array(z.int()) }),
      ),
      /** Worktrees that stay where they are, since a host of their move is lost, each with the one that ended for it. */
      stayed: z.array(z.object({ worktree: z.string(), ended: z.string().nullable() })),
      /** Worktrees that could not be built, and the host that builds each now. */
      placed: z.array(z.object({ worktree: z.string(), host: z.string() })),
    }),
  run: async (context) => {
    await refuseUnlessLeading(context)
    const stayed = await endLostMoves(context)
    // Without a remote nothing of them is anywhere else.
    if ((await usedRemote(context)) === null) return { continued: [], stayed, placed: [] }
    const placed = []
    for (const worktree of await restingOf(context)) {
      const place = await anotherPlace(context, worktree)
      if (place === undefined) continue
      await placeAgain(context, worktree, place)
      placed.push({ worktree: worktree.name, host: place.name })
    }
    const continued = []
    for (const worktree of await strandedOf(context)) {
      const tasks = await waitingIn(context, worktree.name)
      if (tasks.length === 0) continue
      const to = await whereTo(context, worktree, tasks)
      if (to === undefined) continue
      const successor = 'place' in to ? await succeed(context, worktree, to.place, LOST) : to.successor
      const ids = tasks.map(({ id }) => id)
      for (const id of ids) must(await moveTask(context.db, id, worktree.name, successor), `Task ${id}`)
      continued.push({ worktree: worktree.name, successor, host: to.host, tasks: ids })
    }
    return { continued, stayed, placed }
  },
  subject: ({ continued, stayed, placed }) =>
    continued.length + stayed.length + placed.length > 0
      ? {
          details: {
            continued,
            ...(stayed.length > 0 ? { stayed } : {}),
            ...(placed.length > 0 ? { placed } : {}),
          },
        }
      : null,
})

/** The worktrees that their host could not build and that cannot give their tasks back. */
const restingOf = async ({ db }: Context): Promise<readonly WorktreeRow[]> => {
  const resting = (await selectWorktrees(db, { folders: ['building'] })).filter(restsUnbuilt)
  if (resting.length === 0) return []
  const lost = new Set((await selectHosts(db)).flatMap(({ id, state }) => (state === 'lost' ? [id] : [])))
  // Those are continued as all of a lost host.
  return resting.filter(({ host_id: host }) => !lost.has(host))
}

/** A host that can build it now and run its tasks. */
const anotherPlace = async (context: Context, worktree: WorktreeRow): Promise<Place | undefined> => {
  const tasks = await waitingIn(context, worktree.name)
  return tasks.length === 0 ? undefined : placeFor(context, worktree, tasks)
}

const placeAgain = async (
  { db, root, settings }: Context,
  { name, not_continued: failures }: WorktreeRow,
  place: Place,
): Promise<void> => {
  const change = {
    host_id: place.id,
    path: worktreePath({ root: place.root ?? root, settings }, name),
    not_continued: JSON.stringify(withoutHost(notContinuedIn(failures), place.id)),
  }
  must(await changeWorktree(db, name, { folder: 'building' }, change), `Worktree ${name}`)
  for (const purpose of portPurposes) await deletePort(db, name, purpose)
}

/** The live worktrees of lost hosts. Those of a race stay: its facts are about these folders. */
const strandedOf = async ({ db }: Context): Promise<readonly WorktreeRow[]> => {
  const lost = new Set((await selectHosts(db)).flatMap(({ id, state }) => (state === 'lost' ? [id] : [])))
  if (lost.size === 0) return []
  const raced = new Set((await selectRunningRacers(db)).map(({ worktree }) => worktree))
  return (await selectWorktrees(db, { folders: live })).filter(
    ({ name, host_id: host, status }) => status === 'active' && lost.has(host) && !raced.has(name),
  )
}

const live = ['building', 'ready'] as const

const waitingIn = async ({ db }: Context, worktree: string): Promise<readonly TaskRow[]> =>
  (await selectTasks(db, { worktree })).filter(({ status }) => status === 'pending')

/** Where the tasks of a worktree can continue now: in the one that continues it, or in a new one on a host. */
const whereTo = async (
  context: Context,
  worktree: WorktreeRow,
  tasks: readonly TaskRow[],
): Promise<
  { readonly successor: string; readonly host: string } | { readonly place: Place; readonly host: string } | undefined
> => {
  const { db } = context
  const next = await presentSuccessor(context, worktree)
  if (next !== undefined) return { successor: next.name, host: (await findHost(db, next.host_id)).name }
  const place = await placeFor(context, worktree, tasks)
  return place && { place, host: place.name }
}

/**
 * The live worktree that continues this one as it is; undefined if this one was back since with its host, and may have
 * commits of its own.
 */
const presentSuccessor = async (
  { db }: Context,
  { name, successor, pushed_at: pushedAt }: WorktreeRow,
): Promise<WorktreeRow | undefined> => {
  const next = successor === null ? undefined : await selectWorktree(db, successor)
  if (next?.status !== 'active' || !live.some((folder) => folder === next.folder)) return undefined
  const since = next.created_at
  return (pushedAt !== null && pushedAt > since) || (await hasReturnedSince(db, name, since)) ? undefined : next
}

/** A host with the labels of the worktree, where each of its tasks can run, and that has not just failed to build it. */
const placeFor = async (
  context: Context,
  { name, labels, not_continued: failures }: WorktreeRow,
  tasks: readonly TaskRow[],
): Promise<Place | undefined> => {
  const startable = await startableOf(context, tasks)
  const list = notContinuedIn(failures)
  const places = ((await placesOf(context)) ?? []).filter(({ id }) => !isLeftOut(list, id, context.now))
  return choosePlace(places, {
    worktree: name,
    kinds: startable.map((task) => kindOf(task, context.settings)),
    labels: JSON.parse(labels) as string[],
  })
}

/** A move that cannot end by itself, and the reason as one sentence. */
interface LostMove {
  readonly worktree: WorktreeRow
  readonly why: string
}

/**
 * The moves that wait for a host that was declared lost: one that should push the worktree, or build the one that
 * continues it.
 */
const lostMoves = async ({ db }: Pick<Context, 'db'>): Promise<readonly LostMove[]> => {
  const lost = new Map((await selectHosts(db)).flatMap(({ id, name, state }) => (state === 'lost' ? [[id, name]] : [])))
  if (lost.size === 0) return []
  const found: LostMove[] = []
  for (const worktree of await selectWorktrees(db, { folders: ['ready', 'leaving'] })) {
    const { name, host_id: host, folder, move_to: to } = worktree
    if (to === null || (folder === 'leaving' && (await unbuiltSuccessor(db, worktree)) === undefined)) continue
    const [from, there] = [lost.get(host), lost.get(to)]
    if (there !== undefined)
      found.push({ worktree, why: `Host ${there} was declared lost, so ${name} does not move there.` })
    else if (folder === 'ready' && from !== undefined)
      found.push({ worktree, why: `Host ${from} was declared lost before it had pushed all of ${name}.` })
  }
  return found
}

/** Ends these moves: each worktree stays where it is, with its tasks. */
const endLostMoves = async (
  context: Context,
): Promise<{ readonly worktree: string; readonly ended: string | null }[]> => {
  const stayed = []
  for (const { worktree, why } of await lostMoves(context))
    stayed.push({ worktree: worktree.name, ended: await undoMove(context, worktree, why) })
  return stayed
}
