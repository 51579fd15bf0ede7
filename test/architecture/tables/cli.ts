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
      run: ['call', 'commands'],
    },
    large: {
      commands: 'Tables of commands, one file for each noun.',
    },
  },
  unusedExports: {
    'src/cli/call/words.ts usage': 'test/documents/commands.ts uses it.',
    'src/cli/verbs/tasks/task-list-schema.ts taskListSchema': 'build/schemas.ts uses it.',
    'src/cli/verbs/fleet/postgres-lines.ts networksOf': 'test/cli/commands/fleet.test.ts uses it.',
  },
}
