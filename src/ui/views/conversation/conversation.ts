import type { Spot } from '../../../contracts/conversation.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { talkText } from '../../../text/agents.ts'
import { showRequest } from '../../actions/requests.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import { agentAtHand, taskAtHand, worktreeAtHand } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { type Block, type BlockId, keyOf, type Subject } from './blocks.ts'
import { folds, textOf } from './lines.ts'
import {
  aboutOf,
  bottomOf,
  conversationIn,
  type ConversationOverlay,
  cursorOf,
  following,
  indexOf,
  isAfter,
  lastTop,
  type Place,
  requestOf,
  rowsOf,
  shownBlocks,
  topOf,
} from './window.ts'

export interface TalkSearchOverlay {
  readonly kind: 'talk-search'
  readonly text: string
}

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

// Moves in the conversation.

type Shown = ConversationOverlay & { readonly behind?: ConsoleState['view']['overlay'] }

/** Scrolls by so many rows; at the end the conversation is followed. */
export const moveInConversation = (state: ConsoleState, overlay: Shown, by: number): ConsoleState => {
  if (by === Infinity)
    return to(state, { ...overlay, cursor: null, place: null, wanted: state.talk.atEnd ? null : 'end' })
  const blocks = shownBlocks(state)
  if (blocks.length === 0) return state
  if (by === -Infinity)
    return to(state, {
      ...overlay,
      cursor: null,
      place: { ...idOf(blocks[0]!), piece: 0 },
      wanted: state.talk.atBegin ? null : 'begin',
    })
  const height = sheetHeight(state)
  const end = lastTop(state, overlay, height)
  const rows = (index: number): number => rowsOf(state, overlay, blocks[index]!).length
  let { index, piece } = topOf(state, overlay, height)
  for (let left = by; left > 0 && index < blocks.length; left--)
    [index, piece] = piece + 1 < rows(index) ? [index, piece + 1] : [index + 1, 0]
  for (let left = by; left < 0 && (index > 0 || piece > 0); left++)
    [index, piece] = piece > 0 ? [index, piece - 1] : [index - 1, Math.max(0, rows(index - 1) - 1)]
  return placedAt(state, overlay, by > 0 && !isAfter(end, { index, piece }) ? null : { index, piece })
}

/** At the end of what is loaded the conversation is followed only if nothing more is to be read. */
const placedAt = (state: ConsoleState, overlay: Shown, place: Place | null): ConsoleState => {
  const blocks = shownBlocks(state)
  const at = place ?? (state.talk.atEnd ? null : lastTop(state, overlay, sheetHeight(state)))
  const block = at === null ? undefined : blocks[at.index]
  return to(state, { ...overlay, place: at && block ? { ...idOf(block), piece: at.piece } : null })
}

const to = (state: ConsoleState, overlay: Shown): ConsoleState => changingView(() => ({ overlay }))(state)

const idOf = ({ run, offset, part }: BlockId): BlockId => ({ run, offset, part })

const front = (state: ConsoleState): Shown | undefined =>
  state.view.overlay?.kind === 'conversation' ? state.view.overlay : undefined

/** Follows the end, or holds the present position. */
export const toggleFollow: Transition = (state) => {
  const overlay = front(state)
  if (!overlay) return state
  if (overlay.place !== null) return moveInConversation(state, overlay, Infinity)
  return placedAt(state, overlay, topOf(state, overlay, sheetHeight(state)))
}

/** Selects the next or previous block, and scrolls as far as necessary. */
export const toPart =
  (by: 1 | -1): Transition =>
  (state) => {
    const overlay = front(state)
    const height = sheetHeight(state)
    const current = overlay && cursorOf(state, overlay, height)
    if (!overlay || !current) return state
    const blocks = shownBlocks(state)
    const isSelected = overlay.cursor !== null && keyOf(overlay.cursor) === keyOf(current)
    // The first press selects the block that the keys already act on.
    const index = indexOf(blocks, current) + (isSelected || overlay.place === null ? by : 0)
    const block = blocks[Math.max(0, Math.min(blocks.length - 1, index))]!
    return inSight(state, { ...overlay, cursor: idOf(block) }, block)
  }

/** Scrolled so that the block is visible, with its first rows if they fit. */
const inSight = (state: ConsoleState, overlay: Shown, block: Block): ConsoleState => {
  const height = sheetHeight(state)
  const index = indexOf(shownBlocks(state), block)
  const top = topOf(state, overlay, height)
  if (isAfter(top, { index, piece: 0 })) return placedAt(state, overlay, { index, piece: 0 })
  const bottom = bottomOf(state, overlay, top, height)
  const rows = Math.min(height, rowsOf(state, overlay, block).length)
  const seen = shownBlocks(state)
    .slice(top.index, index)
    .reduce((sum, other) => sum + rowsOf(state, overlay, other).length, -top.piece)
  const hidden = seen + rows - height
  if (index <= bottom && hidden <= 0) return to(state, overlay)
  return moveInConversation(state, overlay, Math.max(1, hidden))
}

const foldedPart = (state: ConsoleState): Block | undefined => {
  const overlay = front(state)
  const block = overlay && cursorOf(state, overlay, sheetHeight(state))
  return block && folds(block) ? block : undefined
}

/** Unfolds or folds the selected block. */
const foldPart: Transition = (state) => {
  const overlay = front(state)
  const block = foldedPart(state)
  if (!overlay || !block) return state
  const key = keyOf(block)
  const opened = overlay.folds[key] ?? overlay.unfolded
  const next = { ...overlay, cursor: idOf(block), folds: { ...overlay.folds, [key]: !opened } }
  return opened ? to(state, next) : inSight(state, next, block)
}

/** Unfolds all blocks, or folds them. */
export const foldAll: Transition = (state) => {
  const overlay = front(state)
  if (!overlay) return state
  const height = sheetHeight(state)
  const block = cursorOf(state, overlay, height)
  const next = { ...overlay, folds: {}, unfolded: !overlay.unfolded }
  return block && overlay.place !== null ? inSight(state, { ...next, cursor: idOf(block) }, block) : to(state, next)
}

/** Selects the block of a line on the screen. */
export const selectPart = (state: ConsoleState, overlay: Shown, line: number): ConsoleState => {
  const blocks = shownBlocks(state)
  const top = topOf(state, overlay, sheetHeight(state))
  let left = line + top.piece
  for (let index = top.index; index < blocks.length; index++) {
    const rows = rowsOf(state, overlay, blocks[index]!).length
    if (left < rows) {
      const held = overlay.place === null ? placedAt(state, overlay, top) : state
      return to(held, { ...(front(held) ?? overlay), cursor: idOf(blocks[index]!) })
    }
    left -= rows
  }
  return state
}

/** Shows the block that contains a line of output, unfolded, a third of the screen below the edge. */
export const showAt = (state: ConsoleState, overlay: Shown, at: Spot): ConsoleState => {
  const block = blockWith(shownBlocks(state), at)
  if (!block) return to(state, { ...overlay, wanted: null })
  const opened = folds(block) && overlay.found !== null ? { [keyOf(block)]: true } : {}
  const shown = {
    ...overlay,
    wanted: null,
    cursor: idOf(block),
    place: { ...idOf(block), piece: 0 },
    folds: { ...overlay.folds, ...opened },
  }
  return moveInConversation(to(state, shown), shown, -Math.floor(sheetHeight(state) / 3))
}

const blockWith = (blocks: readonly Block[], { run, offset }: Spot): Block | undefined => {
  const next = indexOf(blocks, { run, offset, part: -Infinity })
  if (blocks[next]?.run === run && blocks[next].offset === offset) return blocks[next]
  const isIn = (block: Block): boolean =>
    block.kind === 'call' && block.resultAt?.run === run && block.resultAt.offset === offset
  return blocks.find(isIn) ?? blocks[Math.max(0, next - 1)]
}
