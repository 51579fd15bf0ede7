import { Inbox } from '../../../../components/Inbox.tsx'
import type { DrawingProps } from '../../core/registry.ts'
import { inboxWindow } from './lines.ts'
import type { InboxOverlay } from './inbox.ts'

export const InboxView = ({ state, overlay, columns, taken }: DrawingProps<InboxOverlay>) => {
  const { list, panel, ...window } = inboxWindow(state, overlay)
  // The box may be lower than the body: the list has what the question leaves.
  const inside = taken - 2 - (panel > 0 ? panel + 1 : 0)
  return <Inbox {...window} list={Math.max(1, Math.min(list, inside))} panel={panel} width={columns} />
}
