import type { BareRow } from '../key-words.ts'
import { modes } from '../modes.ts'

// The rows of keys.ts that belong to the terminal: they work wherever one is.

// prettier-ignore
export const terminalRows: readonly BareRow[] = [
  { id: 'suspend', keys: ['ctrl-z'], shown: 'ctrl-z', modes, press: (desk) => desk.suspend() },
  { id: 'redraw', keys: ['ctrl-l'], shown: 'ctrl-l', modes, press: (desk) => desk.redraw() },
]
