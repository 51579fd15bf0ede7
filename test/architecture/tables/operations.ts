import type { LayerRules } from '../layer.ts'

export const operations: LayerRules = {
  folders: {
    layer: 'src/operations',
    folders: {
      door: [],
      views: ['door'],
      memory: ['door'],
      'hosts/steps': ['door'],
      messages: ['door'],
      'tasks/steps': ['door', 'views', 'memory', 'hosts/steps'],
      'agents/steps': ['door', 'messages', 'tasks/steps', 'hosts/steps'],
      requests: ['door', 'views', 'agents/steps'],
      budgets: ['door', 'views', 'tasks/steps', 'requests', 'hosts/steps'],
      worktrees: ['door', 'views', 'hosts/steps', 'tasks/steps', 'agents/steps'],
      tasks: ['door', 'views', 'tasks/steps', 'agents/steps', 'messages', 'budgets'],
      sessions: ['door', 'views', 'tasks/steps', 'agents/steps', 'budgets'],
      agents: ['door', 'views', 'tasks/steps', 'agents/steps', 'budgets', 'worktrees', 'tasks', 'sessions'],
      takeovers: ['door', 'views', 'worktrees', 'tasks/steps', 'agents/steps', 'messages', 'tasks', 'agents'],
      integration: ['door', 'views', 'hosts/steps', 'tasks/steps', 'agents/steps', 'worktrees'],
      races: ['door', 'views', 'tasks/steps', 'agents/steps', 'budgets', 'worktrees', 'integration'],
      hosts: ['door', 'hosts/steps', 'agents/steps'],
      loops: [
        'door',
        'views',
        'memory',
        'tasks/steps',
        'agents/steps',
        'requests',
        'messages',
        'budgets',
        'worktrees',
        'integration',
        'hosts/steps',
      ],
      screens: ['door', 'views', 'tasks/steps', 'agents/steps', 'requests', 'messages', 'budgets', 'integration'],
    },
    large: {
      loops: 'Operations that only the loops call, one a file.',
    },
  },
  unusedExports: {
    'src/operations/screens/read-board.ts board': 'test/mcp/tools/asking.test.ts uses it.',
    'src/operations/sessions/report-lanes.ts MOST_LANES': 'test/operations/sessions/session-report.test.ts uses it.',
    'src/operations/sessions/report-lanes.ts MOST_SPANS': 'test/operations/sessions/session-report.test.ts uses it.',
  },
}
