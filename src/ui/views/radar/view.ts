import type { Radar } from '../../../contracts/observations.ts'
import type { Conflict } from '../../../domain/integration/radar.ts'
import { modeText } from '../../../text/keys.ts'
import { by, type ListView } from '../../core/registry.ts'
import { scrollLines, sheetHeight } from '../../panes/movement.ts'
import { enterCell, moveColumn, moveRow, openRadar, selectInRadar, startRadarFeed } from './radar.ts'
import { pairSheet, radarHeight, radarWindow } from './lines.ts'

/** The conflict matrix with a cursor; or with `pair` the conflicts of two worktrees. */
export interface RadarOverlay {
  readonly kind: 'radar'
  readonly row: number
  readonly column: number
  readonly top: number
  readonly pair: Pick<Conflict, 'a' | 'b' | 'withTarget'> | null
}

export interface RadarContents {
  /** Null until the first scan. */
  readonly radar: Radar | null
}

// prettier-ignore
export const radar: ListView<RadarOverlay, RadarContents> = {
  kind: 'radar',
  title: modeText.radar,
  manner: 'reading',
  opens: [{ id: 'radar', keys: ['C'], shown: 'C', press: openRadar }],
  keys: [
    { id: 'next-column', keys: ['right', 'l'], shown: 'l →', footer: true, press: by(moveColumn(1)) },
    { id: 'previous-column', keys: ['left', 'h'], shown: 'h ←', press: by(moveColumn(-1)) },
    { id: 'pair', keys: ['enter'], shown: 'enter', footer: true, press: enterCell },
  ],
  empty: { radar: null },
  feed: ({ connection }, store, careful) => startRadarFeed(connection.outside, store, careful),
  window: (state, overlay, height) => (overlay.pair === null ? radarWindow(state, overlay, height) : undefined),
  content: (state, { pair }) => (pair === null ? undefined : pairSheet(state, pair)),
  tall: radarHeight,
  scroll: (state, overlay, lines) => (overlay.pair === null ? moveRow(state, overlay, lines, sheetHeight(state)) : scrollLines(state, overlay, lines)),
  click: (state, overlay, line, column) => selectInRadar(state, overlay, line, column, sheetHeight(state)),
}
