import type { LayerRules } from '../layer.ts'

export const text: LayerRules = {
  folders: {
    layer: 'src/text',
    folders: {
      '.': [],
    },
  },
}
