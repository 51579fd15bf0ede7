import type { LayerRules } from '../layer.ts'

export const db: LayerRules = {
  folders: {
    layer: 'src/db',
    folders: {
      schema: [],
      engine: [],
      '.': ['engine'],
      open: ['engine', '.'],
      copy: ['.'],
      postgres: ['engine', '.', 'open', 'copy'],
    },
  },
}
