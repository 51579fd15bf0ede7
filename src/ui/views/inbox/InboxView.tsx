import { Inbox } from '../../../../components/Inbox.tsx'
import type { DrawingProps } from '../../core/view-row.ts'
import { inboxWindow } from './lines.ts'
import type { InboxOverlay } from './state.ts'

export const InboxView = ({ state, overlay, columns }: DrawingProps<InboxOverlay>) => (
  <Inbox {...inboxWindow(state, overlay)} width={columns} />
)
