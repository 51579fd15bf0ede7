import { z } from 'zod'
import { selectClaimFacts } from '../../db/task-queue.ts'
import { together } from '../../db/engine/db.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { whyNot, whyNotDue } from '../../domain/task/task.ts'
import { refuseUsedUp, standingOf } from '../budgets/budgets.ts'
import { factsOf, findActing, findTask } from '../perform/find.ts'
import { agentId, taskId } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { claimFor } from './steps/task-steps.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const claimTask = operation({
  name: 'claim_task',
  summary: 'Claim a pending task: it is yours while your lease lasts',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () => z.strictObject({ taskId, agentId: agentId.optional() }),
  output: taskView,
  run: async (context, input) => {
    const { db, actor, now } = context
    const [agent, task, { blockedBy, isRaced, race, budget, moves }] = await together(
      findActing(context, input.agentId),
      findTask(db, input.taskId),
      selectClaimFacts(db, input.taskId),
    )
    const facts = task.status === 'pending' ? { ...factsOf(task, blockedBy, isRaced), moves } : factsOf(task, [], false)
    const why = whyNot('claim', facts)
    if (why !== undefined) throw new Refusal(refusalCode(facts), why)
    if (task.persona_id !== agent.persona_id)
      throw new Refusal(
        'persona_mismatch',
        `Task ${task.id} is for the persona ${task.persona_id}, but ${agent.id} is ${agent.persona_id}.`,
      )
    if (task.wanted_agent_id !== null && task.wanted_agent_id !== agent.id)
      throw new Refusal('not_allowed', `Task ${task.id} is for agent ${task.wanted_agent_id}, not ${agent.id}.`)
    if (agent.assigned_worktree !== null && task.target_worktree !== agent.assigned_worktree)
      throw new Refusal(
        'worktree_mismatch',
        `Task ${task.id} belongs in ${task.target_worktree ?? 'the repository root'}, but ${agent.id} is confined to ${agent.assigned_worktree}.`,
      )
    if (race?.ended_at === null && race.kind !== agent.kind)
      throw new Refusal(
        'not_allowed',
        `Task ${task.id} is the racer of ${race.kind} in the race of task ${race.task_id}, but ${agent.id} is of the kind ${agent.kind}.`,
      )
    const wait = actor.kind === 'agent' ? whyNotDue(facts, now) : undefined
    if (wait !== undefined) throw new Refusal('not_due', wait)
    await refuseUsedUp(context, task.id, race, standingOf(context, budget))
    return viewTask(db, task.id, claimFor(context, task, agent))
  },
  subject: (task) => ({ taskId: task.id, agentId: task.assignedAgentId, details: { attempt: task.attempt } }),
})

const refusalCode = (facts: { status: string; blockedBy: readonly number[] }) => {
  if (facts.status === 'claimed' || facts.status === 'in_progress') return 'already_claimed'
  return facts.status === 'pending' ? 'blocked' : 'invalid_state'
}
