import { type AroundTask, taskReason, taskSince } from '../../../domain/task/status.ts'
import { whyNotItsTurn } from '../../../domain/task/contention.ts'
import type { TaskState } from '../../../domain/task/task.ts'
import type { Connection } from '../../../operations/door/connection.ts'
import { perform } from '../../../operations/door/perform.ts'
import { getTask, type TaskDetail } from '../../../operations/tasks/get-task.ts'
import { readBoard } from '../../../operations/screens/read-board.ts'

/** The most dependencies whose state is looked up. */
const LOOKED_AT = 20

/**
 * A task with the reason for its state, `why` also with the duration: from its rows, and from an observation of its
 * agent's process.
 */
export const taskWithReason = async (
  { core, actor, outside }: Connection,
  taskId: number,
): Promise<{ task: TaskDetail & { reason: string }; why: string }> => {
  const task = await perform(core, getTask, { taskId }, actor)
  const { session, agents, worktrees, requests, held, limits } = await perform(
    core,
    readBoard,
    { around: taskId, before: 0, after: 1 },
    actor,
  )
  const agent = agents.find(({ id }) => id === task.assignedAgentId)
  const worktree = worktrees.find(({ name }) => name === task.targetWorktree)
  const why = held.find((one) => one.taskId === taskId)?.why
  const asked = requests.find(
    (request) => request.taskId === taskId && request.status === 'open' && request.kind !== 'denial',
  )
  const states = new Map<number, TaskState>()
  for (const id of task.blockedBy.slice(0, LOOKED_AT))
    states.set(id, (await perform(core, getTask, { taskId: id }, actor)).status)
  const around: AroundTask = {
    now: core.clock(),
    stalledAfter: limits.stalledAfter,
    stateOf: (id) => states.get(id),
    held: why,
    overBudget: task.overBudget,
    paused: session?.status === 'running' && session.pausedAt !== null,
    inUse: whyNotItsTurn(task, agents, limits),
    running: agents.filter(({ process }) => process === 'wanted' || process === 'started').length,
    most: limits.maxParallel,
    pausedAt: agent?.pausedAt ?? null,
    ...(worktree ? { folder: worktree.folder } : {}),
    ...(asked
      ? {
          asked: {
            kind: asked.kind as 'permission' | 'question',
            tool: asked.tool,
            subject: asked.subject,
            askedAt: asked.askedAt,
          },
        }
      : {}),
  }
  const told = (known: AroundTask) => ({
    task: { ...task, reason: taskReason(task, known) },
    why: taskReason(task, {
      ...known,
      since: (task.status === 'pending' ? task.budget.askedAt : null) ?? taskSince(task, around.now),
    }),
  })
  if (!agent || agent.process !== 'started') return told(around)
  const seen = (await outside.observeProcesses()).find(({ agentId }) => agentId === agent.id)
  // CPU use requires two observations.
  return told({ ...around, process: seen ? { cpu: null, lastOutput: seen.lastOutput ?? null } : null })
}
