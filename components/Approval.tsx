import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { Paint } from './base/Paint.tsx'
import { Sheet, type SheetProps } from './Sheet.tsx'

export interface ApprovalProps extends SheetProps {
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
