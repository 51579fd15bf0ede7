import type { LayerRules } from '../layer.ts'

export const memory: LayerRules = {
  folders: {
    layer: 'src/memory',
    folders: {
      '.': [],
      'session-files': ['.'],
      'working-memory': ['.', 'session-files'],
      'dual-memory': [],
      'project-memory': ['.', 'session-files'],
    },
  },
}
