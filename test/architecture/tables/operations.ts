import type { LayerRules } from '../layer.ts'

export const operations: LayerRules = {
  folders: {
    layer: 'src/operations',
    folders: {
      perform: [],
      hosts: ['perform'],
      memory: ['perform'],
      messages: ['perform'],
      views: ['perform'],
      requests: ['perform'],
      budgets: ['perform', 'hosts', 'views'],
      tasks: ['perform', 'hosts', 'memory', 'messages', 'views', 'requests', 'budgets'],
      runs: ['perform', 'hosts', 'memory', 'messages', 'requests', 'budgets', 'tasks'],
      worktrees: ['perform', 'hosts', 'memory', 'views', 'tasks', 'runs'],
      failover: ['perform', 'hosts', 'tasks', 'runs', 'worktrees'],
      sessions: ['perform', 'hosts', 'views', 'budgets', 'tasks'],
      agents: ['perform', 'messages', 'views', 'budgets', 'tasks', 'runs', 'worktrees'],
      integration: ['perform', 'hosts', 'views', 'tasks', 'runs'],
      races: ['perform', 'views', 'budgets', 'tasks', 'runs', 'worktrees', 'integration'],
      loops: ['perform', 'hosts', 'messages', 'views', 'requests', 'budgets', 'tasks', 'runs', 'worktrees'],
      screens: ['perform', 'hosts', 'messages', 'views', 'requests', 'budgets', 'tasks', 'integration'],
    },
  },
}
