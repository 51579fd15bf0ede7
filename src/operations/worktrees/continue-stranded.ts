import { z } from 'zod'
import { moveTask } from '../../db/assignments.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectRunningRacers } from '../../db/races.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { LOST } from '../../domain/host/host.ts'
import type { Context } from '../door/core.ts'
import { must } from '../door/must.ts'
import { operation } from '../door/operation.ts'
import { refuseUnlessLeading } from '../door/supervision.ts'
import { usedRemote } from '../hosts/steps/exchange.ts'
import { choosePlace, placesOf } from '../hosts/steps/placement.ts'
import { succeed } from './succeed.ts'

export const readStranded = operation({
  name: 'read_stranded',
  summary: 'Tell whether a worktree of a lost host has tasks left that could be continued elsewhere',
  access: 'read',
  authority: 'system',
  input: z.strictObject({}),
  output: z.object({ stranded: z.boolean() }),
  run: async (context) => {
    if ((await usedRemote(context)) === null) return { stranded: false }
    for (const { name } of await strandedOf(context))
      if ((await waitingIn(context, name)).length > 0) return { stranded: true }
    return { stranded: false }
  },
})

export const continueStranded = operation({
  name: 'continue_stranded',
  summary: 'Continue worktrees of lost hosts elsewhere, from what was pushed of them: each that has tasks left',
  access: 'write',
  authority: 'system',
  input: z.strictObject({}),
  output: z.object({
    continued: z.array(
      z.object({ worktree: z.string(), successor: z.string(), host: z.string(), tasks: z.array(z.int()) }),
    ),
  }),
  run: async (context) => {
    await refuseUnlessLeading(context)
    // Without a remote nothing of them is anywhere else.
    if ((await usedRemote(context)) === null) return { continued: [] }
    const continued = []
    for (const worktree of await strandedOf(context)) {
      const place = choosePlace((await placesOf(context)) ?? [], { worktree: worktree.name })
      const tasks = await waitingIn(context, worktree.name)
      if (place === undefined || tasks.length === 0) continue
      const successor = await succeed(context, worktree, place, LOST)
      for (const id of tasks) must(await moveTask(context.db, id, worktree.name, successor), `Task ${id}`)
      continued.push({ worktree: worktree.name, successor, host: place.name, tasks })
    }
    return { continued }
  },
  subject: ({ continued }) => (continued.length > 0 ? { details: { continued } } : null),
})

/** The live worktrees of lost hosts that nothing continues. Those of a race stay: its facts are about these folders. */
const strandedOf = async ({ db }: Context): Promise<readonly WorktreeRow[]> => {
  const lost = new Set((await selectHosts(db)).flatMap(({ id, state }) => (state === 'lost' ? [id] : [])))
  if (lost.size === 0) return []
  const raced = new Set((await selectRunningRacers(db)).map(({ worktree }) => worktree))
  return (await selectWorktrees(db, { folders: ['building', 'ready'] })).filter(
    ({ name, host_id: host, status, successor }) =>
      lost.has(host) && status === 'active' && successor === null && !raced.has(name),
  )
}

const waitingIn = async ({ db }: Context, worktree: string): Promise<number[]> =>
  (await selectTasks(db, { worktree })).flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
