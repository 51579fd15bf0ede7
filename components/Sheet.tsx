import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { rangeText } from '../src/text/panes.ts'
import { Frame } from './Frame.tsx'
import { type Line, Lines } from './Lines.tsx'
import { Paint } from './base/Paint.tsx'

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

interface ApprovalProps extends SheetProps {
  /** The effect of `y`, or the reason why it has none. */
  readonly answer: SafeText
  readonly ready: boolean
}

/** Everything a person reads before approving a merge: commits, sizes, verification, agents, the diff. */
export const Approval = ({ answer, ready, ...sheet }: ApprovalProps) => (
  <Box flexDirection="column">
    <Sheet {...sheet} />
    <Paint bold={ready} colour={ready ? 'magenta' : 'yellow'}>{` ${ready ? '⚑' : '…'} ${answer}`}</Paint>
  </Box>
)
