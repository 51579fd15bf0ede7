import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost } from '../../db/hosts.ts'
import { selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { isOver } from '../../domain/task/task.ts'
import type { Context } from '../door/core.ts'
import { operation } from '../door/operation.ts'
import { unpushedOn } from './read-unpushed.ts'
import { findHost } from './steps/find-host.ts'

export const endWorker = operation({
  name: 'end_worker',
  summary: 'Record that the worker of a drained host has ended with nothing left there: its silence is no loss then',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: z.strictObject({ hostId: z.string() }),
  output: z.object({ gone: z.boolean() }),
  run: async (context, { hostId }) => {
    const { state } = await findHost(context.db, hostId)
    if (state !== 'draining' || (await hasWork(context, hostId))) return { gone: false }
    // Without a heartbeat there is none that could be missed; the next worker of the host sends one.
    return { gone: await changeHost(context.db, hostId, { states: ['draining'] }, { beat_at: null }) }
  },
})

/** True if others would have to continue something of this host. */
const hasWork = async (context: Context, hostId: string): Promise<boolean> => {
  const { db } = context
  const agents = await selectAgents(db, { live: true, processes: ['wanted', 'started'] })
  if (agents.some(({ host_id: host }) => host === hostId) || (await unpushedOn(context, hostId)).length > 0) return true
  const own = (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).filter(
    ({ host_id: host }) => host === hostId,
  )
  for (const { name, folder } of own)
    if (folder !== 'ready' || (await selectTasks(db, { worktree: name })).some(({ status }) => !isOver(status)))
      return true
  return false
}
