import type { LayerRules } from '../layer.ts'

export const ui: LayerRules = {
  folders: {
    layer: 'src/ui',
    folders: {
      frames: [],
      core: [],
      keys: ['core'],
      terminal: ['core'],
      rows: ['core'],
      panes: ['core', 'keys', 'rows'],
      preferences: ['core', 'keys', 'panes'],
      actions: ['core', 'keys', 'rows', 'panes', 'preferences'],
      'views/*': ['core', 'keys', 'rows', 'panes', 'actions'],
      views: ['keys', 'actions', 'views/*'],
      feeds: ['core', 'panes'],
      screen: ['core', 'keys', 'rows', 'panes', 'views/*'],
      mouse: ['core', 'keys', 'panes', 'screen'],
      '.': ['core', 'terminal', 'preferences', 'views', 'feeds', 'screen', 'mouse'],
    },
    typeCircles: [
      {
        from: 'src/ui/core/state.ts',
        to: 'src/ui/keys/table.ts',
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
  unusedExports: {
    'src/ui/frames/kept-rows.ts keepingRows': 'build/ink-rows.ts puts it into the bundle.',
    'src/ui/frames/narrow.ts narrow': 'test/ui/frames/narrow.test.ts compares it with string-width.',
    'src/ui/mouse/press.ts hitAt': 'test/ui/mouse/mouse.test.ts asks what lies at each place of the screen.',
    'src/ui/panes/board/matches.ts AFTER': 'test/ui/views/filter/filter.test.ts fills a window to its edge.',
    'src/ui/panes/board/matches.ts BEFORE': 'test/ui/views/filter/filter.test.ts fills a window to its edge.',
    'src/ui/preferences/stored-view.ts readView':
      'test/ui/preferences/preferences.test.ts reads what anybody may have edited.',
    'src/ui/rows/sentences.ts spokenTime': 'test/ui/rows/sentences.test.ts has every unit read aloud.',
    'src/ui/store.ts initialState': 'Tests and bench begin with it.',
    'src/ui/views/help/help.ts helpOf': 'test/ui/preferences/preferences.test.ts looks for keys by words.',
    'src/ui/views/index.ts views': 'test/documents/keys.ts makes the table of keys from it.',
    'src/ui/views/palette/keys.ts paletteOf': 'test/ui/keys/keys.test.ts looks for commands by letters.',
    'src/ui/views/radar/feed.ts radarArrived': 'test/ui/views/radar/radar.test.ts puts a radar into the state.',
  },
}
