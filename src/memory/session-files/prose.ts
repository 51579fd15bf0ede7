import { closedText, treeOf } from './tree.ts'
import { manyLines } from './values.ts'

// Text directly below a heading, not in a bullet. A line that looks like one of the file's headings is written with a
// backslash, and an open code fence is closed.

/** The text as it is written. */
export const proseText = (text: string): string => {
  const plain = manyLines(text).replace(/^( {0,3})(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1\\')
  return plain === '' ? '' : closedText(plain, treeOf(plain, { tables: false }))
}

/** The text as it is read; also the normal form of any text. */
export const proseOf = (source: string): string => plainProse(proseText(plainProse(source)))

const plainProse = (source: string): string => manyLines(source.replace(/^( {0,3})\\(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1'))
