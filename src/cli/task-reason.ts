import { type AroundTask, taskReason, taskSince, whyNotItsTurn } from '../domain/reasons.ts'
import type { TaskState } from '../domain/task.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { getTask, type TaskDetail } from '../operations/get-task.ts'
import { readBoard } from '../operations/read-board.ts'

/** Tasks whose state is looked up, of those that one waits for. */
const LOOKED_AT = 20

/** A task with why it is in its state, `why` also for how long: from its rows, and from a look at its agent's process. */
export const taskWithReason = async ({ core, actor, outside }: Connection, taskId: number): Promise<{ task: TaskDetail & { reason: string }; why: string }> => {
  const task = await perform(core, getTask, { taskId }, actor)
  const { session, agents, worktrees, requests, held, limits } = await perform(core, readBoard, { around: taskId, before: 0, after: 1 }, actor)
  const agent = agents.find(({ id }) => id === task.assignedAgentId)
  const worktree = worktrees.find(({ name }) => name === task.targetWorktree)
  const why = held.find((one) => one.taskId === taskId)?.why
  const asked = requests.find((request) => request.taskId === taskId && request.status === 'open' && request.kind !== 'denial')
  const states = new Map<number, TaskState>()
  for (const id of task.blockedBy.slice(0, LOOKED_AT)) states.set(id, (await perform(core, getTask, { taskId: id }, actor)).status)
  const around: AroundTask = {
    now: core.clock(),
    stalledAfter: limits.stalledAfter,
    stateOf: (id) => states.get(id),
    held: why,
    overBudget: task.budget.askedAt !== null,
    paused: session?.status === 'running' && session.pausedAt !== null,
    inUse: whyNotItsTurn(task, agents, limits),
    running: agents.filter(({ process }) => process === 'wanted' || process === 'started').length,
    most: limits.maxParallel,
    pausedAt: agent?.pausedAt ?? null,
    ...(worktree ? { folder: worktree.folder } : {}),
    ...(asked ? { asked: { kind: asked.kind as 'permission' | 'question', tool: asked.tool, subject: asked.subject, askedAt: asked.askedAt } } : {}),
  }
  const told = (known: AroundTask) => ({
    task: { ...task, reason: taskReason(task, known) },
    why: taskReason(task, { ...known, since: (task.status === 'pending' ? task.budget.askedAt : null) ?? taskSince(task, around.now) }),
  })
  if (!agent || agent.process !== 'started') return told(around)
  const seen = (await outside.observeProcesses()).find(({ agentId }) => agentId === agent.id)
  // The use of the processor shows only between two looks.
  return told({ ...around, process: seen ? { cpu: null, lastOutput: seen.lastOutput ?? null } : null })
}
