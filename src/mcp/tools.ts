import { z } from 'zod'
import { askHuman } from '../operations/ask-human.ts'
import { cancelTask } from '../operations/cancel-task.ts'
import { claimTask } from '../operations/claim-task.ts'
import { completeTask } from '../operations/complete-task.ts'
import { createSubtask } from '../operations/create-subtask.ts'
import { createTask } from '../operations/create-task.ts'
import { createWorktree } from '../operations/create-worktree.ts'
import { discardWorktree } from '../operations/discard-worktree.ts'
import { failTask } from '../operations/fail-task.ts'
import { getManagedAgents } from '../operations/get-managed-agents.ts'
import { getTask } from '../operations/get-task.ts'
import { getTaskLogs } from '../operations/get-task-logs.ts'
import { getTaskTree } from '../operations/get-task-tree.ts'
import { getWorktreeStatus } from '../operations/get-worktree-status.ts'
import { heartbeatAndGetTasks } from '../operations/heartbeat-and-get-tasks.ts'
import { listAgents } from '../operations/list-agents.ts'
import { listPersonas } from '../operations/list-personas.ts'
import { registerAgent } from '../operations/register-agent.ts'
import { reportTaskProgress } from '../operations/report-task-progress.ts'
import { requestIntegration } from '../operations/request-integration.ts'
import { requestPermission } from '../operations/request-permission.ts'
import { spawnAgent } from '../operations/spawn-agent.ts'
import { startTask } from '../operations/start-task.ts'
import { terminateAgent } from '../operations/terminate-agent.ts'
import { answerOf, permissionArguments, verdictOf } from './asking.ts'
import { answered } from '../operations/kernel/asking.ts'
import { tool, type ToolRow } from './tool.ts'
import { waitForTasks } from './waiting.ts'
import { withStanding, worktreeStanding } from './worktree-standing.ts'

/** Every tool there is: seed 004's eleven and what its interfaces need besides. None of them approves anything. */
export const tools: readonly ToolRow[] = [
  // For those who work.
  tool({ operation: heartbeatAndGetTasks, title: 'Get tasks', then: waitForTasks }),
  tool({ operation: claimTask, title: 'Claim a task' }),
  tool({ operation: startTask, title: 'Start a task' }),
  tool({ operation: reportTaskProgress, title: 'Report progress' }),
  tool({ operation: completeTask, title: 'Complete a task', more: 'Commit your work first. Ends your turn.' }),
  tool({ operation: failTask, title: 'Fail a task', more: 'Ends your turn.' }),
  tool({ operation: createSubtask, title: 'Create a subtask' }),
  tool({ operation: askHuman, title: 'Ask a person', more: 'Where the answer is still open, call again with the requestNumber.', answers: answered, then: answerOf }),
  tool({ operation: requestPermission, title: 'Ask for permission', named: permissionArguments, answers: 'text', then: verdictOf }),
  // For everyone.
  tool({ operation: getTask, title: 'Show a task' }),
  tool({ operation: getTaskTree, title: 'Show the task tree', list: 'tasks' }),
  tool({ operation: getTaskLogs, title: 'Show task logs', list: 'logs' }),
  tool({ operation: getWorktreeStatus, title: 'Show worktrees', list: 'worktrees', answers: z.array(worktreeStanding), then: withStanding }),
  tool({ operation: listAgents, title: 'List agents', list: 'agents' }),
  tool({ operation: listPersonas, title: 'List personas', list: 'personas' }),
  tool({ operation: createTask, title: 'Create a task' }),
  // For those who plan.
  tool({ operation: createWorktree, title: 'Create a worktree' }),
  tool({ operation: spawnAgent, title: 'Spawn an agent' }),
  tool({ operation: getManagedAgents, title: 'List your agents', list: 'agents' }),
  tool({ operation: terminateAgent, title: 'Terminate an agent', more: 'Only agents that you spawned.' }),
  tool({ operation: registerAgent, title: 'Register an agent' }),
  tool({ operation: cancelTask, title: 'Cancel a task' }),
  tool({ operation: requestIntegration, title: 'Integrate a worktree' }),
  tool({ operation: discardWorktree, title: 'Discard a worktree' }),
]
