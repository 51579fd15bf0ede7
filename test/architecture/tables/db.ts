import type { LayerRules } from '../layer.ts'

export const db: LayerRules = {
  folders: {
    layer: 'src/db',
    folders: {
      schema: [],
      engine: [],
      '.': ['engine'],
      sqlite: ['engine', '.'],
      postgres: ['engine', '.'],
    },
  },
}
