import type { BareRow } from '../key-words.ts'
import { modes } from '../modes.ts'

// The row of keys.ts that belongs to the terminal: it works wherever one is.

// prettier-ignore
export const terminalRows: readonly BareRow[] = [
  { id: 'suspend', keys: ['ctrl-z'], shown: 'ctrl-z', modes, press: (desk) => desk.suspend() },
]
