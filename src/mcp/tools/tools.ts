import { z } from 'zod'
import { answered, askHuman } from '../../operations/requests/questions.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask, reportTaskProgress, startTask } from '../../operations/tasks/claims.ts'
import { createSubtask, createTask } from '../../operations/tasks/create.ts'
import { say, stopTurn } from '../../operations/messages/say.ts'
import { readMessages, sendMessage } from '../../operations/messages/mail.ts'
import { createWorktree } from '../../operations/worktrees/create.ts'
import { discardWorktree } from '../../operations/worktrees/discard.ts'
import { getManagedAgents, listAgents } from '../../operations/agents/list.ts'
import { getTask, getTaskLogs } from '../../operations/tasks/detail.ts'
import { getTaskTree } from '../../operations/tasks/list.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { heartbeatAndGetTasks } from '../../operations/agents/offers.ts'
import { listPersonas } from '../../operations/agents/personas.ts'
import { registerAgent, spawnAgent, terminateAgent } from '../../operations/agents/spawn.ts'
import { requestIntegration } from '../../operations/integration/request.ts'
import { requestPermission } from '../../operations/requests/permissions.ts'
import { answerOf, permissionArguments, verdictOf, waitForTasks } from './waiting.ts'
import { tool, type ToolRow } from './tool.ts'
import { withStanding, worktreeStanding } from './worktree-states.ts'

/** All tools: seed 004's eleven and those that its interfaces need. None of them approves anything. */
export const tools: readonly ToolRow[] = [
  // For workers.
  tool({ operation: heartbeatAndGetTasks, title: 'Get tasks', then: waitForTasks }),
  tool({ operation: claimTask, title: 'Claim a task' }),
  tool({ operation: startTask, title: 'Start a task' }),
  tool({ operation: reportTaskProgress, title: 'Report progress' }),
  tool({ operation: completeTask, title: 'Complete a task', more: 'Commit your work first. Ends your turn.' }),
  tool({ operation: failTask, title: 'Fail a task', more: 'Ends your turn.' }),
  tool({ operation: createSubtask, title: 'Create a subtask' }),
  tool({
    operation: askHuman,
    title: 'Ask a person',
    more: 'If there is no answer yet, call again with the requestNumber.',
    answers: answered(),
    then: answerOf,
  }),
  tool({
    operation: requestPermission,
    title: 'Ask for permission',
    named: permissionArguments,
    answers: 'text',
    then: verdictOf,
  }),
  tool({ operation: sendMessage, title: 'Send a message', list: 'messages' }),
  tool({ operation: readMessages, title: 'Read messages' }),
  // For every client.
  tool({ operation: getTask, title: 'Show a task' }),
  tool({ operation: getTaskTree, title: 'Show the task tree', list: 'tasks' }),
  tool({ operation: getTaskLogs, title: 'Show task logs', list: 'logs' }),
  tool({
    operation: getWorktreeStatus,
    title: 'Show worktrees',
    list: 'worktrees',
    answers: z.array(worktreeStanding),
    then: withStanding,
  }),
  tool({ operation: listAgents, title: 'List agents', list: 'agents' }),
  tool({ operation: listPersonas, title: 'List personas', list: 'personas' }),
  tool({ operation: createTask, title: 'Create a task' }),
  // For planners.
  tool({ operation: createWorktree, title: 'Create a worktree' }),
  tool({ operation: spawnAgent, title: 'Spawn an agent' }),
  tool({ operation: getManagedAgents, title: 'List your agents', list: 'agents' }),
  tool({ operation: terminateAgent, title: 'Terminate an agent', more: 'Only agents that you spawned.' }),
  tool({ operation: registerAgent, title: 'Register an agent' }),
  tool({ operation: cancelTask, title: 'Cancel a task' }),
  tool({ operation: requestIntegration, title: 'Integrate a worktree' }),
  tool({ operation: discardWorktree, title: 'Discard a worktree' }),
]

/** Further tools for planners; workers do not pay for their descriptions. */
export const planning: readonly ToolRow[] = [
  tool({ operation: say, title: 'Speak to agents', list: 'messages', more: 'Only to agents that you spawned.' }),
  tool({ operation: stopTurn, title: 'Stop a turn', more: 'Only of agents that you spawned.' }),
]
