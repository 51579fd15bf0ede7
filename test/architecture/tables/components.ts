import type { LayerRules } from '../layer.ts'

export const components: LayerRules = {
  folders: {
    layer: 'components',
    folders: {
      base: [],
      lines: ['base'],
      '.': ['base', 'lines'],
    },
  },
}
