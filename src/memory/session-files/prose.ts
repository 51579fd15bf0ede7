import { closedText, treeOf } from './tree.ts'
import { manyLines } from './values.ts'

// Text that stands below a heading by itself, not behind a bullet. A line of it that looks like a heading of the file is
// written with a backslash, and a code fence that was left open is closed.

/** As it is written. */
export const proseText = (text: string): string => {
  const plain = manyLines(text).replace(/^( {0,3})(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1\\')
  return plain === '' ? '' : closedText(plain, treeOf(plain, { tables: false }))
}

/** As it is read; also the normal form of any text. */
export const proseOf = (source: string): string => plainProse(proseText(plainProse(source)))

const plainProse = (source: string): string => manyLines(source.replace(/^( {0,3})\\(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1'))
