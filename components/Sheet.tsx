import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { rangeText } from '../src/text/panes.ts'

export interface SheetProps {
  readonly title: SafeText
  /** Only the visible lines. */
  readonly lines: readonly Line[]
  /** Number of the first visible line, from 0, and of all there are. */
  readonly top: number
  readonly total: number
  readonly width: number
  /** Lines inside the border. */
  readonly height: number
}

/** A view over the panes that is read and scrolled: what Enter opens, the help, the approval. */
export const Sheet = ({ title, lines, top, total, width, height }: SheetProps) => {
  const note = total > height ? ours(rangeText(top + 1, Math.min(total, top + height), total)) : ours('')
  return <Frame width={width} sections={[{ key: 'sheet', title, note, focused: true, height, body: <Lines lines={lines} /> }]} />
}
