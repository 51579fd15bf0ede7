import { byUrgency, nextBehind, waitingPlace } from '../../domain/attention.ts'
import type { Attention } from '../../operations/read-board.ts'
import { integrate, openApproval } from '../approval.ts'
import type { Desk } from '../desk.ts'
import { showBudget } from '../budget/budget.ts'
import { openGuard } from '../guard.ts'
import { selectAgent, selectTask, selectWorktree } from '../movement.ts'
import { open } from '../overlays.ts'
import { showRequest } from '../request.ts'
import { type ConsoleState, looking, type Transition } from '../state.ts'

// How one comes to what waits: by `w` from one to the next, or from the inbox.

/** The next thing that waits for a person: first what the selected row itself asks, then what comes behind what was shown last. */
export const nextItem = ({ board: { attention }, view }: ConsoleState): Attention => {
  const ofRow = (item: Attention): boolean => isOfSelected(view, item)
  const shown = attention.find((item) => waitingPlace(item) === view.shown)
  const asked = byUrgency(attention).find((item) => item.requestId !== null && ofRow(item) && item !== shown)
  // Where one has gone elsewhere meanwhile, what that row asks comes first.
  if (asked && !(shown && (shown.kind === 'configuration' || ofRow(shown)))) return asked
  return nextBehind(attention, view.shown)!
}

const isOfSelected = (view: ConsoleState['view'], { agentId, requestId, worktree, taskId }: Attention): boolean => {
  if (view.about === 'agents') return requestId !== null && agentId === view.agent
  return view.about === 'worktrees' ? worktree !== null && worktree === view.worktree : taskId !== null && taskId === view.task
}

/** Selects the row that an item is about, and remembers that it was shown. */
export const goTo = (item: Attention): Transition => {
  const select =
    item.requestId !== null ? selectAgent(item.agentId!) : item.worktree !== null ? selectWorktree(item.worktree) : item.taskId !== null ? selectTask(item.taskId) : undefined
  const remember = looking(() => ({ shown: waitingPlace(item) }))
  return (state) => remember(select ? select(state) : state)
}

/** Shows what an item asks, in its own sheet, over what `before` leaves of the screen. Answering is another key there. */
export const openItem = (desk: Desk, item: Attention, before: Transition = (state) => state): void => {
  const request = desk.state().board.requests.find(({ id }) => id === item.requestId)
  if (item.kind === 'configuration') {
    desk.change(goTo(item))
    return openGuard(desk, before)
  }
  desk.change((state) => goTo(item)(before(state)))
  if (request) return showRequest(desk, request)
  if (item.kind === 'budget') return showBudget(desk, item)
  if (item.kind === 'approve') return desk.change(openApproval(item.worktree!))
  if (item.taskId !== null) return desk.change(open({ kind: 'detail', of: 'board', top: 0 }))
  if (item.worktree !== null) return desk.change(open({ kind: 'detail', of: 'worktrees', top: 0 }))
  desk.tell(item.text)
}

/** Opens the merge of a worktree, or asks for it anew where it could not be made. */
export const integrateItem = (desk: Desk, item: Attention): void => {
  desk.change(goTo(item))
  integrate(desk)
}
