import type { LayerRules } from '../layer.ts'

export const operations: LayerRules = {
  folders: {
    layer: 'src/operations',
    folders: {
      perform: [],
      database: ['perform'],
      hosts: ['perform'],
      messages: ['perform'],
      views: ['perform'],
      requests: ['perform'],
      budgets: ['perform', 'hosts', 'views'],
      memory: ['perform'],
      tasks: ['perform', 'hosts', 'messages', 'views', 'requests', 'budgets', 'memory'],
      runs: ['perform', 'hosts', 'messages', 'requests', 'budgets', 'memory', 'tasks'],
      worktrees: ['perform', 'hosts', 'views', 'memory', 'tasks', 'runs'],
      supervision: ['perform', 'hosts', 'messages', 'views', 'requests', 'budgets', 'tasks', 'runs', 'worktrees'],
      failover: ['perform', 'hosts', 'tasks', 'runs', 'worktrees'],
      sessions: ['perform', 'hosts', 'views', 'budgets', 'tasks'],
      agents: ['perform', 'messages', 'views', 'budgets', 'tasks', 'runs', 'worktrees'],
      integration: ['perform', 'hosts', 'views', 'tasks', 'runs'],
      races: ['perform', 'views', 'budgets', 'tasks', 'runs', 'worktrees', 'integration'],
      screens: ['perform', 'hosts', 'messages', 'views', 'requests', 'budgets', 'tasks', 'integration'],
    },
  },
}
