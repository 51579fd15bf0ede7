import type { BareRow } from '../key-words.ts'
import { modes } from '../modes.ts'
import { toggleGauge, whyNotGauge } from './state.ts'

// The row of keys.ts that belongs to the gauge: it works wherever one is.

// prettier-ignore
export const gaugeRows: readonly BareRow[] = [
  { id: 'gauge', keys: ['ctrl-g'], shown: 'ctrl-g', modes, blocked: whyNotGauge, press: (desk) => desk.change(toggleGauge) },
]
