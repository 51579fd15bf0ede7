import { byUrgency, nextBehind, waitingPlace } from '../../domain/request/inbox.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import { inboxText } from '../../text/inbox.ts'
import { actionRefusals } from '../../text/panes.ts'
import type { Controller } from '../core/controller.ts'
import { open } from '../core/overlays.ts'
import { agentAtHand, selectedTask, selectedWorktree } from '../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../core/state.ts'
import { selectAgent, selectTask, selectWorktree } from '../panes/movement.ts'
import { backTo } from './answers.ts'
import { integrate, openApproval } from './integration.ts'
import { openRequestOf, showRequest } from './requests.ts'

// Opens the view of the selected row, or of an inbox item.

export const whyNothingToOpen = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'board') return selectedTask(state) ? undefined : actionRefusals.noTaskToOpen
  if (about === 'agents') return agentAtHand(state) ? undefined : actionRefusals.noAgentToOpen
  return selectedWorktree(state) ? undefined : actionRefusals.noWorktreeToOpen
}

/** An agent with a request is opened at the request. */
export const openDetail = (controller: Controller): void => {
  const state = controller.state()
  const request = state.view.about === 'agents' ? openRequestOf(state, state.view.agent) : undefined
  if (request) showRequest(controller, request)
  else controller.change(open({ kind: 'detail', of: state.view.about, top: 0 }))
}

// Opens inbox items: with `w` one after the other, or from the inbox.

export const whyNotNext = ({ board }: ConsoleState): string | undefined =>
  board.attention.length > 0 ? undefined : inboxText.nothing

/** Moves to the next inbox item; a request of an agent and a changed configuration are opened at once. */
export const nextWaiting = (controller: Controller): void => {
  const item = nextItem(controller.state())
  // From one that was not answered to the next: what is shown of that one goes, once the next is there.
  if (item.requestId !== null || ofNoRow.has(item.kind) || item.kind === 'budget')
    return openItem(controller, item, backTo(item))
  controller.change((state) => goTo(item)(backTo(item)(state)))
  controller.tell(item.text)
}

/** The next inbox item: first that of the selected row, then the one after the last shown item. */
const nextItem = ({ board: { attention }, view }: ConsoleState): Attention => {
  const ofRow = (item: Attention): boolean => isOfSelected(view, item)
  const shown = attention.find((item) => waitingPlace(item) === view.shown)
  const asked = byUrgency(attention).find((item) => item.requestId !== null && ofRow(item) && item !== shown)
  // If the selection has changed meanwhile, the item of that row comes first.
  if (asked && !(shown && (ofNoRow.has(shown.kind) || ofRow(shown)))) return asked
  return nextBehind(attention, view.shown)!
}

/** Items about the repository, without a row in a pane. */
export const ofNoRow: ReadonlySet<Attention['kind']> = new Set([
  'configuration',
  'moved',
  'checkout',
  'mail',
  'returned',
])

const isOfSelected = (view: ConsoleState['view'], { agentId, requestId, worktree, taskId }: Attention): boolean => {
  if (view.about === 'agents') return requestId !== null && agentId === view.agent
  return view.about === 'worktrees'
    ? worktree !== null && worktree === view.worktree
    : taskId !== null && taskId === view.task
}

/** Selects the row of an item, and records that it was shown. */
const goTo = (item: Attention): Transition => {
  const select =
    item.requestId !== null
      ? selectAgent(item.agentId!)
      : item.worktree !== null
        ? selectWorktree(item.worktree)
        : item.taskId !== null
          ? selectTask(item.taskId)
          : undefined
  const remember = changingView(() => ({ shown: waitingPlace(item) }))
  return (state) => remember(select ? select(state) : state)
}

/** Shows what an item asks, in the view that is about it, over what `before` leaves of the screen. Answering is another key there. */
export const openItem = (controller: Controller, item: Attention, before: Transition = (state) => state): void => {
  const { table, board } = controller.state()
  for (const { about } of Object.values(table.views)) {
    if (!about?.has(item)) continue
    controller.change(goTo(item))
    return about.open(controller, item, before)
  }
  const request = board.requests.find(({ id }) => id === item.requestId)
  if (request) {
    controller.change(before)
    return showRequest(controller, request)
  }
  controller.change((state) => goTo(item)(before(state)))
  if (item.kind === 'approve') return controller.change(openApproval(item.worktree!))
  if (item.taskId !== null) return controller.change(open({ kind: 'detail', of: 'board', top: 0 }))
  if (item.worktree !== null) return controller.change(open({ kind: 'detail', of: 'worktrees', top: 0 }))
  controller.tell(item.text)
}

/** Opens the merge of a worktree, or requests it again if it could not be prepared. */
export const integrateItem = (controller: Controller, item: Attention): void => {
  controller.change(goTo(item))
  integrate(controller)
}
