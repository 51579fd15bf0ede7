import type { LayerRules } from '../layer.ts'

export const mcp: LayerRules = {
  folders: {
    layer: 'src/mcp',
    folders: {
      protocol: [],
      tools: [],
      server: ['tools'],
      transport: ['protocol', 'server'],
    },
  },
}
