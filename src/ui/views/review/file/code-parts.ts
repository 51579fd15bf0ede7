import type { CodeParts } from '../../../../../components/base/code.ts'
import type { DiffIndex } from '../../../../domain/words/unified-diff.ts'

// The coloured parts of a diff's lines, as far as they were found: src/ui/views/review/colours finds them.

export const partsOf = (index: DiffIndex, line: number): CodeParts => found.get(index)?.get(line) ?? NONE

export const keepParts = (index: DiffIndex, line: number, parts: CodeParts): void => {
  const lines = found.get(index) ?? new Map<number, CodeParts>()
  found.set(index, lines)
  lines.set(line, parts)
}

/** Whether a line was looked at. */
export const isColoured = (index: DiffIndex, line: number): boolean => found.get(index)?.has(line) === true

const found = new WeakMap<DiffIndex, Map<number, CodeParts>>()
const NONE: CodeParts = []
