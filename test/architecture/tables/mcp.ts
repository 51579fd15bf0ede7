import type { LayerRules } from '../layer.ts'

export const mcp: LayerRules = {
  folders: {
    layer: 'src/mcp',
    folders: {
      protocol: [],
      tools: [],
      server: ['protocol', 'tools'],
      transport: ['protocol', 'server'],
    },
  },
  longFunctions: {
    'src/mcp/tools/project-memory-tools.ts projectMemoryTools': 'To be split.',
    'src/mcp/tools/session-file-tools.ts sessionFileTools': 'To be split.',
    'src/mcp/tools/working-memory-tools.ts workingMemoryTools': 'To be split.',
  },
}
