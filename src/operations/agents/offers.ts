import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { extendLeases } from '../../db/leases.ts'
import { selectOpenConflicts } from '../../db/radar.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { selectQueue } from '../../db/task-queue.ts'
import { selectTasks } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import type { Context } from '../perform/core.ts'
import { findActing } from '../perform/find.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { agentId, lazyObject, personaId } from '../perform/schemas.ts'
import { signOfLife } from '../tasks/attempts.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

/** The most tasks from which an agent can choose. */
const OFFERED = 20

const offer = lazyObject(() => ({ tasks: z.array(taskView()), instructions: z.string().optional() }))

export const heartbeatAndGetTasks = operation({
  name: 'heartbeat_and_get_tasks',
  summary: 'Get tasks to work on and send a heartbeat; your own unfinished task comes first',
  access: 'beat',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      agentId: agentId.optional(),
      personaId: personaId.optional(),
      waitSeconds: z.number().min(0).max(50).default(0).describe('Seconds to wait for work (0 to 50)'),
    }),
  output: offer,
  run: async (context, input) => {
    const { db, settings } = context
    const agent = await findActing(context, input.agentId)
    if (input.personaId !== undefined && input.personaId !== agent.persona_id) {
      throw new Refusal('persona_mismatch', `Agent ${agent.id} is ${agent.persona_id}, not ${input.personaId}.`)
    }
    await signOfLife(context, agent)
    await extendLeases(db, [agent.id], context, settings.lease.ttl)
    return offerFor(context, agent)
  },
})

/** As the operation above, without the heartbeat: polling by a waiting agent must not itself be a change. */
export const readOffer = operation({
  name: 'read_offer',
  summary: 'List the tasks that an agent would be offered',
  access: 'read',
  authority: 'agent',
  input: () => z.strictObject({ agentId: agentId.optional() }),
  output: offer,
  run: async (context, input) => offerFor(context, await findActing(context, input.agentId)),
})

const offerFor = async ({ db, now }: Context, agent: AgentRow): Promise<z.output<ReturnType<typeof offer>>> => {
  const held = (await selectHeldTasks(db, [agent.id])).map((task) => task.task_id)
  const own = held.length === 0 ? [] : await selectTasks(db, { ids: held })
  const others = await selectQueue(db, now, {
    personaId: agent.persona_id,
    limit: OFFERED,
    // A shell command needs no agent.
    withoutCommand: true,
    openTo: agent.id,
    kind: agent.kind,
    staying: true,
    ...(agent.assigned_worktree === null ? {} : { worktree: agent.assigned_worktree }),
  })
  const conflicts = await conflictsOf(db, own[0]?.target_worktree ?? agent.assigned_worktree)
  return {
    tasks: await viewTasks(db, [...own, ...others]),
    instructions: `${instructionsFor(own.length, others.length)}${conflicts}`,
  }
}

/**
 * The conflicts found by the radar, without file names: other people chose those, and an agent would take instructions
 * in them for ours. The task's log has them.
 */
const conflictsOf = async (db: Db, worktree: string | null): Promise<string> => {
  const found = worktree === null ? [] : await selectOpenConflicts(db, worktree)
  if (found.length === 0) return ''
  const names = found.map((row) =>
    row.with_target === 1
      ? `its target ${row.other}`
      : `worktree ${row.worktree === worktree ? row.other : row.worktree}`,
  )
  return ` Your worktree ${worktree} conflicts with ${someOf(names, 3)}; get_task_logs of your task lists the files.`
}

const instructionsFor = (own: number, others: number): string => {
  if (own > 0)
    return 'The first task is yours: work on it, report progress, and end it with complete_task or fail_task.'
  return others > 0
    ? 'Claim one of these with claim_task before you work on it.'
    : 'No task for you. Call again with waitSeconds, or end your turn.'
}
