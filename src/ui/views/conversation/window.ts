import type { Line } from '../../../../components/Lines.tsx'
import type { Spot } from '../../../contracts/conversation.ts'
import { contextMark } from '../../../domain/agent/context-health.ts'
import { usageOfRun, usedWords } from '../../../domain/budget/budget.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { talkText } from '../../../text/agents.ts'
import { paneText } from '../../../text/panes.ts'
import { agentOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { placesOf } from '../../rows/lines.ts'
import { type Block, type BlockId, compare, type ConversationContents, keyOf, type Subject } from './blocks.ts'
import { type About, LEAD, linesOf } from './lines.ts'

// The position in a conversation, and the rows that are visible from there.

export interface ConversationOverlay {
  readonly kind: 'conversation'
  readonly subject: Subject
  /** The block at the top, and the number of its rows above the edge; null while the end is followed. */
  readonly place: (BlockId & { readonly piece: number }) | null
  /** The block that keys act on; null for the first or last on the screen. */
  readonly cursor: BlockId | null
  /** Blocks that differ from `unfolded`, by `keyOf`. */
  readonly folds: Readonly<Record<string, boolean>>
  readonly unfolded: boolean
  readonly sought: string
  /** The line of output that was found last. */
  readonly found: Spot | null
  /** A part that has to be read before it can be shown: the feed reads it and clears this. */
  readonly wanted: 'begin' | 'end' | Spot | null
}

export const following = (subject: Subject): ConversationOverlay => ({
  kind: 'conversation',
  subject,
  place: null,
  cursor: null,
  folds: {},
  unfolded: false,
  sought: '',
  found: null,
  wanted: null,
})

/** The visible rows of the conversation. A row is made when it becomes visible. */
export const conversationWindow = (
  state: ConsoleState,
  overlay: ConversationOverlay,
  height: number,
): { title: SafeText; lines: readonly Line[]; top: number; total: number } => {
  const blocks = shownBlocks(state)
  const top = topOf(state, overlay, height)
  const cursor = cursorOf(state, overlay, height)
  const lines: Line[] = []
  for (let index = top.index; index < blocks.length && lines.length < height; index++) {
    const block = blocks[index]!
    const rows = rowsOf(state, overlay, block)
    const first = rows.findIndex(({ text }) => text !== '')
    const isCursor = cursor !== undefined && compare(cursor, block) === 0
    for (let row = index === top.index ? top.piece : 0; row < rows.length && lines.length < height; row++) {
      const line = rows[row]!
      const isHead = isCursor && (row === first || (index === top.index && row === top.piece && row > first))
      const marks = overlay.sought === '' ? undefined : placesOf(line.text, overlay.sought)
      lines.push({
        ...line,
        ...(isHead ? { cursor: true } : {}),
        ...(marks === undefined || marks.length === 0 ? {} : { marks }),
      })
    }
  }
  if (blocks.length === 0)
    lines.push({ text: ours(state.talk.loaded ? talkText.nothing : talkText.reading), dim: true })
  return { title: titleOf(state, overlay), lines, top: top.index, total: lines.length }
}

/** A conversation keeps the whole body: it grows while it is read. */
export const conversationHeight = (_: ConsoleState, __: ConversationOverlay, body: number): number => body

const titleOf = (state: ConsoleState, { subject, place, sought }: ConversationOverlay): SafeText => {
  const last = state.talk.runs.at(-1)
  const agent = agentOf(state, 'agentId' in subject ? subject.agentId : (last?.agentId ?? null))
  const used = last === undefined ? '' : usedWords(usageOfRun(last))
  const context = contextMark(agent?.context ?? null)
  const who =
    'agentId' in subject ? talkText.title(subject.agentId, agent?.kind ?? '') : talkText.ofTask(subject.taskId)
  return safeText(
    [
      who,
      place === null ? paneText.following : paneText.held,
      ...(sought === '' ? [] : [`/${sought}`]),
      ...(used === '' ? [] : [used]),
      ...(context === '' ? [] : [talkText.context(context)]),
    ].join(' · '),
  )
}

/** The block on which keys act: the selected one while it is visible, otherwise the last while following, or the first. */
export const cursorOf = (state: ConsoleState, overlay: ConversationOverlay, height: number): Block | undefined => {
  const blocks = shownBlocks(state)
  const top = topOf(state, overlay, height)
  const bottom = bottomOf(state, overlay, top, height)
  const index = overlay.cursor === null ? -1 : indexOf(blocks, overlay.cursor)
  const isThere = index !== -1 && blocks[index] !== undefined && compare(blocks[index], overlay.cursor!) === 0
  if (isThere && index >= top.index && index <= bottom) return blocks[index]
  return blocks[overlay.place === null ? bottom : top.index]
}

/** The index of the last visible block. */
export const bottomOf = (state: ConsoleState, overlay: ConversationOverlay, top: Place, height: number): number => {
  const blocks = shownBlocks(state)
  let left = height + top.piece
  let index = top.index
  while (index < blocks.length && left > 0) left -= rowsOf(state, overlay, blocks[index++]!).length
  return Math.max(top.index, index - 1)
}

// The blocks that are shown, as rows of the screen, and the places among them.

/** The conversation, also below a typed line or an opened view. */
export const conversationIn = (state: ConsoleState): ConversationOverlay | undefined => {
  for (let overlay = state.view.overlay; overlay; overlay = overlay.behind ?? null)
    if (overlay.kind === 'conversation') return overlay
  return undefined
}

/** The loaded blocks; at the end of the conversation also the messages that the agent has not taken in. */
export const shownBlocks = (state: ConsoleState): readonly Block[] => {
  const { talk } = state
  if (!talk.atEnd || talk.messages.length === 0) return talk.blocks
  const known = completed.get(talk)
  if (known) return known
  const blocks = [...talk.blocks, ...unplaced(talk)]
  completed.set(talk, blocks)
  return blocks
}

const completed = new WeakMap<ConversationContents, readonly Block[]>()

const unplaced = ({ messages, blocks, runs }: ConversationContents): readonly Block[] => {
  const placed = new Set(blocks.flatMap((block) => (block.kind === 'message' ? [block.id] : [])))
  const last = runs.at(-1)
  return messages
    .filter(
      ({ id, status, saidAt }) =>
        !placed.has(id) && (status !== 'seen' || (last !== undefined && saidAt >= last.startedAt)),
    )
    .filter(({ status, saidAt }) => status !== 'refused' || last === undefined || saidAt >= last.startedAt)
    .map(({ id }): Block => ({ kind: 'message', run: runs.length, offset: id, part: 0, id }))
}

/** Columns of a text: without the border, the cursor and the sign. */
const textWidth = (columns: number): number => Math.max(10, columns - 3 - LEAD)

const drawn = new WeakMap<Block, { readonly about: About; readonly lines: readonly Line[] }>()

/** The rows of a block; they are made again only if it, the width, its fold or its receipt has changed. */
export const rowsOf = (state: ConsoleState, overlay: ConversationOverlay, block: Block): readonly Line[] => {
  const about = aboutOf(state, overlay, block)
  const known = drawn.get(block)
  if (known && (Object.keys(about) as (keyof About)[]).every((key) => known.about[key] === about[key]))
    return known.lines
  const lines = linesOf(block, about)
  drawn.set(block, { about, lines })
  return lines
}

export const aboutOf = (state: ConsoleState, overlay: ConversationOverlay, block: Block): About => ({
  width: textWidth(state.view.size.columns),
  opened: isOpened(overlay, block),
  run: block.kind === 'run' ? state.talk.runs[block.run] : undefined,
  message: block.kind === 'message' ? messageOf(state, block.id) : undefined,
  request: block.kind === 'asks' ? requestOf(state, block) : undefined,
})

const isOpened = ({ folds, unfolded }: ConversationOverlay, block: BlockId): boolean => folds[keyOf(block)] ?? unfolded

const messageOf = ({ talk }: ConsoleState, id: number): MessageView | undefined =>
  talk.messages.find((message) => message.id === id)

/** The request of a question: the last of those with the same tool and input that is not a later question's. */
export const requestOf = ({ talk }: ConsoleState, block: Extract<Block, { kind: 'asks' }>): RequestView | undefined => {
  const agent = talk.runs[block.run]?.agentId
  const alike = talk.requests.filter(
    (request) => request.agentId === agent && request.tool === block.tool && inputOf(request) === block.input,
  )
  const later = talk.blocks.filter(
    (other) =>
      other.kind === 'asks' && other.tool === block.tool && other.input === block.input && compare(other, block) > 0,
  ).length
  return alike.at(-1 - later)
}

const inputs = new WeakMap<RequestView, string>()

const inputOf = (request: RequestView): string => {
  const known = inputs.get(request) ?? sortedJson(request.input)
  inputs.set(request, known)
  return known
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** A block, and the number of its rows above the edge. */
export interface Place {
  readonly index: number
  readonly piece: number
}

/** The first visible row when the last is at the bottom. */
export const lastTop = (state: ConsoleState, overlay: ConversationOverlay, height: number): Place => {
  const blocks = shownBlocks(state)
  let left = height
  for (let index = blocks.length - 1; index >= 0; index--) {
    const rows = rowsOf(state, overlay, blocks[index]!).length
    if (rows >= left) return { index, piece: rows - left }
    left -= rows
  }
  return { index: 0, piece: 0 }
}

/** The present beginning of the window. */
export const topOf = (state: ConsoleState, overlay: ConversationOverlay, height: number): Place => {
  const end = lastTop(state, overlay, height)
  if (overlay.place === null) return end
  const blocks = shownBlocks(state)
  const index = indexOf(blocks, overlay.place)
  const isSame = blocks[index] !== undefined && compare(blocks[index], overlay.place) === 0
  const place = { index, piece: isSame ? overlay.place.piece : 0 }
  return isAfter(place, end) ? end : place
}

export const isAfter = (a: Place, b: Place): boolean => a.index > b.index || (a.index === b.index && a.piece > b.piece)

/** The block with this identity, or the next one. */
export const indexOf = (blocks: readonly Block[], id: BlockId): number => {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(blocks[middle]!, id) < 0) low = middle + 1
    else high = middle
  }
  return low
}
