import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'
import { Sheet, type SheetProps } from './Sheet.tsx'

export interface ApprovalProps extends SheetProps {
  /** What `y` would do, or why it would not. */
  readonly answer: SafeText
  readonly ready: boolean
}

/** What a person reads before they let a merge into its target: commits, sizes, verification, agents, the diff. */
export const Approval = ({ answer, ready, ...sheet }: ApprovalProps) => (
  <Box flexDirection="column">
    <Sheet {...sheet} />
    <Paint bold={ready} colour={ready ? 'magenta' : 'yellow'}>{` ${ready ? '⚑' : '…'} ${answer}`}</Paint>
  </Box>
)
