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
}
