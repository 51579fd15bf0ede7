import type { LayerRules } from '../layer.ts'

export const agents: LayerRules = {
  folders: {
    layer: 'src/agents',
    folders: {
      kind: [],
      reading: ['kind'],
      prompts: [],
      claude: ['kind', 'reading', 'prompts'],
      codex: ['kind', 'reading', 'prompts'],
      copilot: ['kind', 'reading', 'prompts'],
      gemini: ['kind', 'reading', 'prompts'],
      opencode: ['kind', 'reading', 'prompts'],
      '.': ['kind', 'reading', 'prompts', 'claude', 'codex', 'copilot', 'gemini', 'opencode'],
    },
  },
}
