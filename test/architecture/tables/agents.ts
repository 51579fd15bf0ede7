import type { LayerRules } from '../layer.ts'

export const agents: LayerRules = {
  folders: {
    layer: 'src/agents',
    folders: {
      kind: [],
      reading: ['kind'],
      prompts: [],
      codex: ['kind', 'reading', 'prompts'],
      copilot: ['kind', 'reading', 'prompts'],
      gemini: ['kind', 'reading', 'prompts'],
      opencode: ['kind', 'reading', 'prompts'],
      '.': ['kind', 'reading', 'prompts', 'codex', 'copilot', 'gemini', 'opencode'],
    },
  },
}
