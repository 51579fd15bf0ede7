import type { Line } from '../../../../components/Lines.tsx'
import { type Block, blockOf, lineIn, placeIn, rowIn, type Shown } from './file/file-block.ts'
import type { HeadLine } from './head/head.ts'
import type { Place } from './state.ts'

/** A review as rows of a view. A row is created when it becomes visible. */
export interface Document {
  readonly total: number
  readonly line: (row: number) => Line
  readonly placeOf: (row: number) => Place
  /** The row of a place, or of its file if that is folded. */
  readonly rowOf: (place: Place) => number
  /** Rows before the first file. */
  readonly head: readonly HeadLine[]
}

export const documentOf = (shown: Shown): Document => {
  const { loaded, head } = shown
  const blocks: Block[] = []
  for (const file of loaded?.review.files ?? []) {
    const before = blocks.at(-1)
    blocks.push(blockOf(shown, loaded!, file, before ? before.start + before.total : head.length))
  }
  const total = blocks.length === 0 ? head.length : blocks.at(-1)!.start + blocks.at(-1)!.total
  const fileAt = (row: number): number => lastBlock(blocks, row)
  return {
    total,
    head,
    line: (row) => (row < head.length ? head[row]! : lineIn(blocks[fileAt(row)]!, row)),
    placeOf: (row) =>
      row < head.length || blocks.length === 0
        ? { file: -1, line: Math.max(0, Math.min(row, head.length - 1)), piece: 0 }
        : placeIn(blocks, fileAt(row), row),
    rowOf: (place) => {
      const block = blocks[place.file]
      return block ? rowIn(block, place) : Math.max(0, Math.min(place.line, head.length - 1))
    },
  }
}

const lastBlock = (blocks: readonly Block[], row: number): number => {
  let [low, high] = [0, blocks.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (blocks[middle]!.start <= row) low = middle
    else high = middle - 1
  }
  return low
}
