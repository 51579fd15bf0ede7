import type { Spot } from '../../../contracts/conversation.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import { agentAtHand, taskAtHand, worktreeAtHand } from '../../core/selection.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { showRequest } from '../../actions/requests.ts'
import { talkText } from '../../../text/agents.ts'
import { textOf } from './block-lines.ts'
import { cursorOf } from './cursor.ts'
import { foldedPart, foldPart } from './movement.ts'
import { aboutOf, conversationIn, requestOf } from './rows.ts'
import { type Block, type ConversationOverlay, following, keyOf, type Subject } from './state.ts'

// Key handlers of the conversation with an agent.

/** The agent of the selected row, or the task with all agents that have worked on it. */
const subjectAtHand = (state: ConsoleState): Subject | undefined => {
  const { about } = state.view
  if (about === 'board') {
    const task = taskAtHand(state)
    return task === undefined ? undefined : { taskId: task.id }
  }
  const worktree = about === 'worktrees' ? worktreeAtHand(state)?.name : undefined
  const agent =
    about === 'agents'
      ? agentAtHand(state)
      : state.board.agents.find(({ assignedWorktree }) => worktree !== undefined && assignedWorktree === worktree)
  return agent === undefined ? undefined : { agentId: agent.id }
}

export const whyNotConversation = (state: ConsoleState): string | undefined =>
  subjectAtHand(state) === undefined ? talkText.noSubject : undefined

export const openConversation = (controller: Controller): void =>
  controller.change(open(following(subjectAtHand(controller.state())!)))

const blockAtCursor = (state: ConsoleState): Block | undefined => {
  const overlay = conversationIn(state)
  return overlay && cursorOf(state, overlay, sheetHeight(state))
}

export const whyNotFold = (state: ConsoleState): string | undefined =>
  foldedPart(state) !== undefined || openRequestAt(state) !== undefined ? undefined : talkText.nothingToFold

const openRequestAt = (state: ConsoleState): RequestView | undefined => {
  const block = blockAtCursor(state)
  const request = block?.kind === 'asks' ? requestOf(state, block) : undefined
  return request?.status === 'open' ? request : undefined
}

/** A question that waits is opened; everything else unfolds. */
export const unfoldOrAnswer = (controller: Controller): void => {
  const request = openRequestAt(controller.state())
  if (request === undefined) controller.change(foldPart)
  else showRequest(controller, request)
}

export const whyNotCopy = (state: ConsoleState): string | undefined =>
  blockAtCursor(state) === undefined ? talkText.nothingToCopy : undefined

/** Copies the whole block, also what is folded. */
export const copyPart = (controller: Controller): void => {
  const state = controller.state()
  const block = blockAtCursor(state)!
  const text = textOf(block, aboutOf(state, conversationIn(state)!, block))
  controller.copy(text)
  controller.tell(talkText.copied(text.split('\n').length), 'done')
}

export const typeSearch = (controller: Controller): void =>
  controller.change((state) => open({ kind: 'talk-search', text: conversationIn(state)?.sought ?? '' })(state))

/** Goes to the nearest earlier place with the typed words. */
export const searchTalk = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'talk-search' || overlay.behind?.kind !== 'conversation') return
  const { text, behind } = overlay
  controller.change(changingView(() => ({ overlay: { ...behind, sought: text.trim(), found: null } })))
  if (text.trim() !== '') findInTalk('before', true)(controller)
}

export const whyNotFind = (state: ConsoleState): string | undefined =>
  (conversationIn(state)?.sought ?? '') === '' ? talkText.typeFirst : undefined

/** The search of a console that still runs. */
const searches = new WeakMap<Controller, AbortController>()

/** Searches the whole history, whatever is loaded; `fresh` includes the visible end. */
export const findInTalk =
  (direction: 'before' | 'after', fresh = false) =>
  (controller: Controller): void => {
    const state = controller.state()
    const overlay = conversationIn(state)
    if (!overlay) return
    const { sought, subject } = overlay
    const { runs } = state.talk
    const from = fresh ? endOf(state) : searchedFrom(state, overlay)
    searches.get(controller)?.abort()
    const own = new AbortController()
    searches.set(controller, own)
    controller.tell(talkText.searching(sought))
    controller.askOutside(
      (outside) => outside.conversations.find(runs, from, direction, sought, own.signal),
      (found) => {
        if (own.signal.aborted || conversationIn(controller.state())?.subject !== subject) return
        if (found === undefined) return controller.tell(talkText.notFound(sought), 'refused')
        controller.tell('')
        controller.change((now) => {
          const shown = conversationIn(now)
          return shown === undefined || now.view.overlay !== shown
            ? now
            : changingView(() => ({ overlay: { ...shown, wanted: found, found } }))(now)
        })
      },
    )
  }

/** After everything that was printed. */
const endOf = ({ talk }: ConsoleState): Spot => ({ run: Math.max(0, talk.runs.length - 1), offset: Infinity })

/** The last match while it is selected, otherwise the selected block. */
const searchedFrom = (state: ConsoleState, { found, cursor }: ConversationOverlay): Spot => {
  const block = blockAtCursor(state)
  if (block === undefined || block.run >= state.talk.runs.length) return endOf(state)
  const isSame = found !== null && cursor !== null && keyOf(cursor) === keyOf(block)
  return isSame ? found : { run: block.run, offset: block.offset }
}
