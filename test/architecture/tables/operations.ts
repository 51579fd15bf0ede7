import type { LayerRules } from '../layer.ts'

export const operations: LayerRules = {
  folders: {
    layer: 'src/operations',
    folders: {
      perform: [],
      database: ['perform'],
      memory: ['perform'],
      messages: ['perform'],
      requests: ['perform'],
      views: ['perform'],
      hosts: ['perform'],
      budgets: ['perform', 'views', 'hosts'],
      tasks: ['perform', 'memory', 'messages', 'requests', 'views', 'hosts', 'budgets'],
      runs: ['perform', 'memory', 'messages', 'requests', 'hosts', 'budgets', 'tasks'],
      worktrees: ['perform', 'memory', 'views', 'hosts', 'tasks', 'runs'],
      failover: ['perform', 'hosts', 'tasks', 'runs', 'worktrees'],
      supervision: ['perform', 'messages', 'requests', 'views', 'hosts', 'budgets', 'tasks', 'runs', 'worktrees'],
      sessions: ['perform', 'views', 'hosts', 'budgets', 'tasks'],
      agents: ['perform', 'messages', 'views', 'budgets', 'tasks', 'runs', 'worktrees'],
      integration: ['perform', 'views', 'hosts', 'tasks', 'runs'],
      races: ['perform', 'views', 'budgets', 'tasks', 'runs', 'worktrees', 'integration'],
      screens: ['perform', 'messages', 'requests', 'views', 'hosts', 'budgets', 'tasks', 'integration'],
    },
  },
}
