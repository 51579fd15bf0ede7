import type { KeyRow } from '../keys.ts'
import { modes } from '../modes.ts'
import { toggleGauge } from './state.ts'

// The row of keys.ts that belongs to the gauge: it works wherever one is.

// prettier-ignore
export const gaugeRows: readonly KeyRow[] = [
  { id: 'gauge', keys: ['ctrl-g'], shown: 'ctrl-g', label: 'gauge', help: 'Show what the console costs here: key to frame, refresh, bytes, waits for the database, processes', modes, press: (desk) => desk.change(toggleGauge) },
]
