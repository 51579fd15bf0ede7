import { system } from '../../src/domain/agent/actor.ts'
import { claimTask, completeTask, failTask, reportTaskProgress } from '../../src/operations/tasks/claims.ts'
import { dispatch } from '../../src/operations/supervision/dispatch.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { recordLaunch } from '../../src/operations/runs/processes.ts'
import { settleRun } from '../../src/operations/runs/ends.ts'
import { spawnAgent } from '../../src/operations/agents/spawn.ts'
import { addConversation } from '../../src/operations/memory/conversations.ts'
import { addExecution } from '../../src/operations/memory/executions.ts'
import { openCore, type World } from './core.ts'

/** The report of a run that has used some tokens. */
const report = {
  model: null,
  session: null,
  tokensIn: 1000,
  tokensOut: 77,
  tokensCached: 3,
  costUsd: 0.25,
  said: 'all is well',
  problem: null,
}

/** A board with rows in most tables: trees of tasks, attempts with every end, notes, usage, the dual memory and events. */
export const filledBoard = async ({ tasks = 40 } = {}): Promise<World> => {
  const world = await openCore()
  const { perform, agent } = world
  // The only task, so that no other agent is started.
  await world.task({ title: 'launched' })
  await runOnce(world)
  await perform(
    importTasks,
    Array.from({ length: tasks - 1 }, (_, i) => ({
      title: `Größe ${i + 1} 𝄞`,
      personaId: 'implementer',
      priority: i % 3,
      acceptanceCriteria: [`criterion ${i}`],
      dependencies: i % 4 === 3 ? [i] : [],
    })),
  )
  await agent('outsider')
  for (const taskId of [2, 3]) {
    await perform(claimTask, { taskId, agentId: 'outsider' })
    await perform(reportTaskProgress, { taskId, agentId: 'outsider', progressNote: `a needle in task ${taskId}` })
    await (taskId === 2
      ? perform(completeTask, { taskId, agentId: 'outsider', resultData: { fine: true }, criteriaMet: ['criterion 0'] })
      : perform(failTask, { taskId, agentId: 'outsider', errorMessage: 'red' }))
  }
  await remember(world)
  return world
}

/** An agent that is launched for task 1, and fails with a report of its usage. */
const runOnce = async ({ perform }: World): Promise<void> => {
  const { id: agentId } = await perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
  await perform(dispatch, { maxParallel: 9 }, system())
  const at = { agentId, run: 1 }
  await perform(recordLaunch, { ...at, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true }, system())
  await perform(settleRun, { ...at, exitCode: 1, report, verdict: { kind: 'failed', error: 'red' } }, system())
}

const remember = async ({ perform }: World): Promise<void> => {
  for (const messageId of ['m1', 'm2']) {
    const said = {
      userId: 'ada',
      messageId,
      userInput: `where is the lighthouse of ${messageId}?`,
      agentResponse: 'at sea',
    }
    await perform(addConversation, said)
    await perform(addExecution, {
      userId: 'ada',
      messageId,
      summary: 'painted the lighthouse',
      toolsUsed: [],
      errors: [],
      observations: '',
      success: true,
    })
  }
}
