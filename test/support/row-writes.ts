import { person, system } from '../../src/domain/agent/actor.ts'
import { heartbeat } from '../../src/operations/agents/heartbeat.ts'
import { heartbeatAndGetTasks } from '../../src/operations/agents/offers.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { askHuman } from '../../src/operations/requests/questions.ts'
import { requestPermission } from '../../src/operations/requests/permissions.ts'
import { claimTask, completeTask, failTask, reportTaskProgress, startTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'

// The writes that share a board on a server, and the board on which they run.

export type Write = (core: Core) => Promise<unknown>

/** Task 1 is held by a and in progress, task 2 by b; 3 and 4 are pending, 5 waits for 1; a has an open request. */
export const withScope: Readonly<Record<string, Write>> = {
  'a claims 3': (core) => perform(core, claimTask, { taskId: 3, agentId: 'a' }, person),
  'b claims 3': (core) => perform(core, claimTask, { taskId: 3, agentId: 'b' }, person),
  'b claims 4': (core) => perform(core, claimTask, { taskId: 4, agentId: 'b' }, person),
  'b claims 1': (core) => perform(core, claimTask, { taskId: 1, agentId: 'b' }, person),
  'b claims 5': (core) => perform(core, claimTask, { taskId: 5, agentId: 'b' }, person),
  'b starts 2': (core) => perform(core, startTask, { taskId: 2, agentId: 'b' }, person),
  'a reports on 1': (core) =>
    perform(core, reportTaskProgress, { taskId: 1, agentId: 'a', progressNote: 'half', percentComplete: 50 }, person),
  'b reports on 2': (core) =>
    perform(core, reportTaskProgress, { taskId: 2, agentId: 'b', progressNote: 'begun' }, person),
  'a completes 1': (core) => perform(core, completeTask, { taskId: 1, agentId: 'a', resultData: 'done' }, person),
  'b completes 2': (core) => perform(core, completeTask, { taskId: 2, agentId: 'b' }, person),
  'a fails 1': (core) => perform(core, failTask, { taskId: 1, agentId: 'a', errorMessage: 'no' }, person),
  'a is alive': (core) => perform(core, heartbeat, { agentId: 'a' }, person),
  'b asks for tasks': (core) => perform(core, heartbeatAndGetTasks, { agentId: 'b' }, person),
  'a wants to run ls': (core) =>
    perform(core, requestPermission, { agentId: 'a', toolName: 'Bash', input: { command: 'ls' } }, person),
  'b asks a person': (core) => perform(core, askHuman, { agentId: 'b', question: 'which?' }, person),
}

/** Fills an empty board for them. */
export const fill = async (core: Core): Promise<void> => {
  await perform(core, syncPersonas, { files: [] }, system())
  for (const id of ['a', 'b']) await perform(core, registerAgent, { id, personaId: 'implementer' }, person)
  for (const dependencies of [[], [], [], [], [1]])
    await perform(core, createTask, { title: 'a task', personaId: 'implementer', dependencies }, person)
  await perform(core, claimTask, { taskId: 1, agentId: 'a' }, person)
  await perform(core, claimTask, { taskId: 2, agentId: 'b' }, person)
  await perform(core, startTask, { taskId: 1, agentId: 'a' }, person)
  await perform(core, askHuman, { agentId: 'a', question: 'why?' }, person)
}
