import type { LayerRules } from '../layer.ts'

export const memory: LayerRules = {
  folders: {
    layer: 'src/memory',
    folders: {
      '.': [],
      'session-files': ['.'],
      'working-memory': ['.', 'session-files'],
      'dual-memory': [],
      'project-memory/format': ['.', 'session-files'],
      'project-memory/store': ['.', 'session-files', 'project-memory/format'],
      'project-memory': ['session-files', 'project-memory/format', 'project-memory/store'],
    },
  },
}
