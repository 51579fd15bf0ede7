import { z } from 'zod'
import { selectRunningRacer } from '../../db/races.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyNot, whyNotDue } from '../../domain/task/task.ts'
import { refuseSpent } from '../budgets/budgets.ts'
import { findActing, findTask, findTaskFacts } from '../door/find.ts'
import { agentId, taskId } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { ofActing } from '../door/scope.ts'
import { claimFor } from './steps/task-steps.ts'
import { taskView, viewTasks } from '../views/views.ts'

export const claimTask = operation({
  name: 'claim_task',
  summary: 'Claim a pending task: it is yours while your lease lasts',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: z.strictObject({ taskId, agentId: agentId.optional() }),
  output: taskView,
  run: async (context, input) => {
    const { db, actor, now } = context
    const agent = await findActing(context, input.agentId)
    const { task, facts } = await findTaskFacts(db, input.taskId)
    const why = whyNot('claim', facts)
    if (why !== undefined) throw new Refusal(refusalCode(facts), why)
    if (task.persona_id !== agent.persona_id) {
      throw new Refusal(
        'persona_mismatch',
        `Task ${task.id} is for the persona ${task.persona_id}, but ${agent.id} is ${agent.persona_id}.`,
      )
    }
    if (task.wanted_agent_id !== null && task.wanted_agent_id !== agent.id)
      throw new Refusal('not_allowed', `Task ${task.id} is for agent ${task.wanted_agent_id}, not ${agent.id}.`)
    if (agent.assigned_worktree !== null && task.target_worktree !== agent.assigned_worktree) {
      throw new Refusal(
        'worktree_mismatch',
        `Task ${task.id} belongs in ${task.target_worktree ?? 'the repository root'}, but ${agent.id} is confined to ${agent.assigned_worktree}.`,
      )
    }
    const racer = await selectRunningRacer(db, task.id)
    if (racer && racer.kind !== agent.kind)
      throw new Refusal(
        'not_allowed',
        `Task ${task.id} is the racer of ${racer.kind} in the race of task ${racer.raced}, but ${agent.id} is of the kind ${agent.kind}.`,
      )
    const wait = actor.kind === 'agent' ? whyNotDue(facts, now) : undefined
    if (wait !== undefined) throw new Refusal('not_due', wait)
    await refuseSpent(context, task.id)
    await claimFor(context, task, agent)
    return (await viewTasks(db, [await findTask(db, task.id)]))[0]!
  },
  subject: (task) => ({ taskId: task.id, agentId: task.assignedAgentId, details: { attempt: task.attempt } }),
})

const refusalCode = (facts: { status: string; blockedBy: readonly number[] }) => {
  if (facts.status === 'claimed' || facts.status === 'in_progress') return 'already_claimed'
  return facts.status === 'pending' ? 'blocked' : 'invalid_state'
}
