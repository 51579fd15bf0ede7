import type { LayerRules } from '../layer.ts'

export const domain: LayerRules = {
  folders: {
    layer: 'src/domain',
    folders: {
      words: [],
      rules: [],
      integration: ['words'],
      worktree: ['words'],
      host: ['words', 'rules'],
      agent: ['words', 'rules'],
      budget: ['words'],
      request: ['words', 'integration', 'worktree', 'budget'],
      settings: ['words', 'agent', 'budget'],
      task: ['words', 'rules', 'worktree', 'agent', 'settings'],
      sandbox: ['words', 'worktree'],
      session: ['words', 'rules', 'integration'],
    },
  },
}
