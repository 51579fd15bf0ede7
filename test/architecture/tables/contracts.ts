import type { LayerRules } from '../layer.ts'

export const contracts: LayerRules = {
  folders: {
    layer: 'src/contracts',
    folders: {
      '.': [],
    },
  },
}
