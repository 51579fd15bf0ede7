import { Approval } from '../../../../components/Sheet.tsx'
import { ours } from '../../../domain/words/safe-text.ts'
import { goneText } from '../../../text/panes.ts'
import { answerOf } from '../../keys/help.ts'
import type { DrawingProps } from '../../core/registry.ts'
import { windowOf } from './review.ts'
import type { ApprovalOverlay } from './state.ts'

/** A review as far as it fits, and the effect of `y`. */
export const ReviewView = ({ state, overlay, columns, taken }: DrawingProps<ApprovalOverlay>) => {
  const height = Math.max(1, taken - 3)
  const window = windowOf(state, overlay, height) ?? {
    title: ours(goneText.title),
    lines: [{ text: ours(goneText.says) }],
    top: 0,
    total: 1,
  }
  const { line, ready } = answerOf(state, overlay)!
  return <Approval {...window} width={columns} height={height} ready={ready} answer={line} />
}
