import { type KeyId, keyText } from '../text/keys.ts'
import type { KeyRow } from './keys.ts'

/** A row as it is written down: its words stand in src/text/keys.ts, and one that has none does not compile. */
export type BareRow = Omit<KeyRow, 'id' | 'label' | 'help'> & { readonly id: KeyId }

export const worded = (rows: readonly BareRow[]): readonly KeyRow[] => rows.map((row) => ({ ...row, ...keyText[row.id] }))
