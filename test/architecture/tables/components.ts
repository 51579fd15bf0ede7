import type { LayerRules } from '../layer.ts'

export const components: LayerRules = {
  folders: {
    layer: 'components',
    folders: { base: [], lines: ['base'], '.': ['base', 'lines'] },
    large: { '.': 'A list of like things: a component each.' },
  },
  unusedExports: {
    'components/base/theme.ts colourNames': 'test/components/theme.test.ts measures the contrast of each.',
  },
}
