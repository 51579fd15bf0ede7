import type { LayerRules } from '../layer.ts'

export const domain: LayerRules = {
  folders: {
    layer: 'src/domain',
    folders: {
      words: [],
      rules: [],
      integration: ['words'],
      worktree: ['words'],
      host: ['rules', 'words'],
      agent: ['words', 'rules'],
      budget: ['words'],
      request: ['words', 'integration', 'worktree'],
      settings: ['words', 'agent', 'budget'],
      task: ['words', 'rules', 'worktree', 'agent', 'settings'],
      sandbox: ['words', 'worktree'],
      session: ['words', 'rules', 'integration'],
    },
  },
  unusedExports: {
    'src/domain/agent/context-health.ts isCrowded': 'test/domain/context-health.test.ts uses it.',
    'src/domain/sandbox/policy.ts policy': 'test/documents/sandbox.ts uses it.',
    'src/domain/task/critical-path.ts criticalPath': 'test/domain/critical-path.test.ts uses it.',
    'src/domain/task/retry.ts retryDelay': 'test/domain/retry.test.ts uses it.',
    'src/domain/session/span.ts bucketOf': 'test/domain/series.test.ts uses it.',
    'src/domain/task/task.ts whyBlocked': 'test/domain/task.test.ts uses it.',
  },
}
