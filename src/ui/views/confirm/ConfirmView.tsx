import { Confirm } from '../../../../components/Confirm.tsx'
import { ours } from '../../../domain/words/safe-text.ts'
import { confirmText } from '../../../text/panes.ts'
import type { DrawingProps } from '../../core/registry.ts'
import { keyed } from '../../keys/bindings.ts'
import { confirmLines, type ConfirmOverlay } from './view.ts'

export const ConfirmView = ({ state, overlay, columns, taken }: DrawingProps<ConfirmOverlay>) => (
  <Confirm
    lines={confirmLines(overlay.lines, columns)}
    answers={ours(keyed(state, confirmText.answers))}
    width={columns}
    height={Math.max(1, taken - 2)}
  />
)
