import type { LayerRules } from '../layer.ts'

export const agents: LayerRules = {
  folders: {
    layer: 'src/agents',
    folders: {
      kind: [],
      reading: ['kind'],
      prompts: [],
      acp: ['kind', 'reading'],
      claude: ['kind', 'reading', 'prompts'],
      codex: ['kind', 'reading', 'prompts'],
      copilot: ['kind', 'reading', 'prompts', 'acp'],
      gemini: ['kind', 'reading', 'prompts', 'acp'],
      opencode: ['kind', 'reading', 'prompts', 'acp'],
      '.': ['kind', 'reading', 'prompts', 'acp', 'claude', 'codex', 'copilot', 'gemini', 'opencode'],
    },
  },
}
