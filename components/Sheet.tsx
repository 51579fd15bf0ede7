import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { rangeText } from '../src/text/panes.ts'

export interface SheetProps {
  readonly title: SafeText
  /** Only visible lines. */
  readonly lines: readonly Line[]
  /** The index of the first visible line, and the number of all lines. */
  readonly top: number
  readonly total: number
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** A view over the panes with text to read and scroll: details, help, approval. */
export const Sheet = ({ title, lines, top, total, width, height }: SheetProps) => {
  const note = total > height ? ours(rangeText(top + 1, Math.min(total, top + height), total)) : ours('')
  return (
    <Frame
      width={width}
      sections={[{ key: 'sheet', title, note, focused: true, height, body: <Lines lines={lines} /> }]}
    />
  )
}
