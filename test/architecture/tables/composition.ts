import type { LayerRules } from '../layer.ts'

export const composition: LayerRules = {
  folders: {
    layer: 'src/composition',
    folders: {
      '.': [],
    },
  },
}
