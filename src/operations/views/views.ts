// The surfaces' view of each noun, in camelCase: the contract of `--json` and of the MCP tools.

export { agentView, type AgentView, viewAgents } from './agent-view.ts'
export { taskView, type TaskView, viewsFrom, viewTasks } from './task-view.ts'
export {
  integrationView,
  type IntegrationView,
  viewIntegration,
  viewWorktrees,
  worktreeView,
  type WorktreeView,
} from './worktree-view.ts'
