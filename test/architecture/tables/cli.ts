import type { LayerRules } from '../layer.ts'

export const cli: LayerRules = {
  folders: {
    layer: 'src/cli',
    folders: {
      call: [],
      print: [],
      report: [],
      completion: ['call'],
      verbs: ['call', 'print', 'report'],
      commands: ['call', 'print', 'completion', 'verbs'],
      doorway: ['call', 'commands'],
      run: ['call', 'commands'],
    },
  },
}
