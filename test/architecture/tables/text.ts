import type { LayerRules } from '../layer.ts'

export const text: LayerRules = {
  folders: {
    layer: 'src/text',
    folders: { '.': [] },
    large: { '.': 'A list of like things: the words of a part of the console each.' },
  },
}
