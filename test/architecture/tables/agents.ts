import type { LayerRules } from '../layer.ts'

export const agents: LayerRules = {
  folders: {
    layer: 'src/agents',
    folders: {
      kind: [],
      reading: ['kind'],
      acp: ['kind', 'reading'],
      codex: ['kind', 'reading'],
      '.': ['kind', 'reading', 'acp', 'codex'],
    },
  },
}
