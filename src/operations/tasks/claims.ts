import { z } from 'zod'
import { together } from '../../db/engine/db.ts'
import { extendLeases } from '../../db/leases.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { selectClaimFacts } from '../../db/task-queue.ts'
import { changeStatus } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { whyNot, whyNotDue } from '../../domain/task/task.ts'
import { refuseUsedUp, standingOf } from '../budgets/budgets.ts'
import { seeBeforeEnd } from '../messages/handover.ts'
import { factsOf, findActing, findTask } from '../perform/find.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { agentId, atMostOneMegabyte, heldAttempt, json, taskId, text } from '../perform/schemas.ts'
import { refuseOutside, workingFolder } from '../requests/confinement.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import {
  claimFor,
  completeHeld,
  failHeld,
  findHeld,
  lookForArtifacts,
  signOfLife,
  startHeld,
  storeMissing,
  waitingAmong,
} from './attempts.ts'
import { criteriaMet, markMet } from './criteria.ts'

// An agent claims a task, starts it, reports progress, and completes or fails it.

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

export const startTask = operation({
  name: 'start_task',
  summary: 'Start a claimed task',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () => z.strictObject({ taskId, agentId: agentId.optional(), attempt: heldAttempt }),
  output: taskView,
  run: async (context, input) => {
    const { task, agent } = await findHeld(context, 'start', input.taskId, input.agentId, input.attempt)
    const [, , view] = await together(
      startHeld(context, task),
      signOfLife(context, agent),
      viewTask(context.db, task.id),
    )
    return view
  },
  subject: (task) => ({ taskId: task.id, agentId: task.assignedAgentId }),
})

export const reportTaskProgress = operation({
  name: 'report_task_progress',
  summary: 'Report progress on your task: a note and, if known, a percentage',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  keeps: ({ taskId, agentId, attempt, progressNote, level, percentComplete, criteriaMet: met = [] }, actor) => {
    const by = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
    return by === undefined
      ? undefined
      : {
          ...{ taskId, agentId: by, attempt: attempt ?? null, note: progressNote, level },
          ...{ percent: percentComplete ?? null, criteriaMet: met },
        }
  },
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      progressNote: text(32_768).min(1),
      percentComplete: z.int().min(0).max(100).optional(),
      criteriaMet: criteriaMet(),
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    }),
  output: taskView,
  run: async (context, input) => {
    const { db, now, settings } = context
    const { task, agent } = await findHeld(context, 'progress', input.taskId, input.agentId, input.attempt)
    await startHeld(context, task)
    const kept = await changeStatus(
      db,
      task.id,
      { status: 'in_progress', attempt: task.attempt, agentId: agent.id },
      {
        progressed_at: now,
        changed_at: now,
        ...(input.percentComplete === undefined ? {} : { progress_percent: input.percentComplete }),
      },
    )
    if (!kept) throw new Refusal('lease_lost', `Agent ${agent.id} no longer holds task ${task.id}.`)
    await markMet(db, task.id, input.criteriaMet ?? [])
    await together(signOfLife(context, agent), extendLeases(db, [agent.id], context, settings.lease.ttl))
    const [view] = await together(
      viewTask(db, task.id),
      // Last, since writers of notes wait for each other.
      insertTaskLog(db, {
        task_id: task.id,
        agent_id: agent.id,
        level: input.level,
        message: input.progressNote,
        attempt: task.attempt,
        percent: input.percentComplete ?? null,
        logged_at: now,
      }),
    )
    return view
  },
  subject: (task, input) => ({
    taskId: task.id,
    agentId: task.assignedAgentId,
    details: { percent: input.percentComplete ?? null },
  }),
})

export const completeTask = operation({
  name: 'complete_task',
  summary: 'Complete your task with its result',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      resultData: atMostOneMegabyte(json, 'write it to a file in the worktree and list that in artifacts')
        .optional()
        .describe('The result, any JSON value'),
      criteriaMet: criteriaMet(),
      artifacts: z
        .array(z.string().min(1).max(4000))
        .max(1000)
        .optional()
        .describe('Paths of the created files, in the worktree'),
    }),
  output: taskView,
  run: async (context, input) => {
    const { db } = context
    const { task, agent } = await findHeld(context, 'complete', input.taskId, input.agentId, input.attempt)
    await seeBeforeEnd(context)
    const folder = task.folder ?? (await workingFolder(context, task.target_worktree ?? agent.assigned_worktree))
    if (input.artifacts) refuseOutside(folder, input.artifacts)
    const { present, missing } = lookForArtifacts(folder, input.artifacts ?? [])
    const result = {
      data: input.resultData === undefined ? null : JSON.stringify(input.resultData),
      artifacts: input.artifacts ? JSON.stringify(present) : null,
    }
    const marked = markMet(db, task.id, input.criteriaMet ?? [])
    const completed = completeHeld(context, task, result, agent)
    const [, , , view] = await together(
      completed,
      storeMissing(context, task, missing),
      signOfLife(context, agent),
      marked.then(() => viewTask(db, task.id, completed)),
    )
    return view
  },
  subject: (task) => ({
    taskId: task.id,
    agentId: task.assignedAgentId,
    worktree: task.targetWorktree,
    details: { ended: endedAmong([task]) },
  }),
  wish: (task) => (task.targetWorktree === null ? undefined : { kind: 'record_commits', taskId: task.id }),
})

export const failTask = operation({
  name: 'fail_task',
  summary: 'Fail your task with the reason; it is retried while retries are left',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      errorMessage: text(32_768).min(1),
    }),
  output: taskView,
  run: async (context, input) => {
    const { task, agent } = await findHeld(context, 'fail', input.taskId, input.agentId, input.attempt)
    await seeBeforeEnd(context)
    // Before the note of the failure, since writers of notes wait for each other.
    await signOfLife(context, agent)
    const [, view] = await together(failHeld(context, task, input.errorMessage, agent), viewTask(context.db, task.id))
    return view
  },
  subject: (task, input) => ({
    taskId: task.id,
    agentId: input.agentId ?? null,
    details: {
      retryCount: task.retryCount,
      status: task.status,
      ended: endedAmong([task]),
      waiting: waitingAmong([task]),
    },
  }),
})
