import type { LayerRules } from '../layer.ts'

export const ui: LayerRules = {
  folders: {
    layer: 'src/ui',
    folders: {
      frames: [],
      core: [],
      keys: ['core'],
      terminal: [],
      rows: ['core'],
      panes: ['core', 'keys', 'rows'],
      actions: ['core', 'keys', 'rows', 'panes'],
      'views/*': ['core', 'keys', 'rows', 'panes', 'actions'],
      views: ['core', 'actions', 'views/*'],
      feeds: ['core', 'panes'],
      screen: ['core', 'keys', 'rows', 'panes', 'views/*'],
      '.': ['core', 'keys', 'terminal', 'panes', 'views', 'feeds', 'screen'],
    },
    typeCircles: [
      {
        from: 'src/ui/core/state.ts',
        to: 'src/ui/core/registry.ts',
        because:
          'The rows of views and keys are part of the state, so that dispatch, drawing and sentences read them without naming a view; a row is about the state.',
      },
      {
        from: 'src/ui/core/state.ts',
        to: 'src/ui/views/index.ts',
        because:
          'The state is the sum of what the views declare, and a view is about the state: the type is derived from the list.',
      },
    ],
  },
}
