import type { TalkPiece } from '../../../contracts/conversation.ts'
import { withEarlier, withEvents } from './blocks.ts'
import type { Block, ConversationContents } from './state.ts'

// The loaded part of a conversation: pieces are added at both ends, and the far end is dropped.

/** The most blocks that are kept; more are dropped a quarter at a time. */
const MOST = 4000

/** Only this piece. */
export const begunWith = (talk: ConversationContents, piece: TalkPiece): ConversationContents => ({
  ...talk,
  blocks: withEvents([], piece.events),
  from: piece.from,
  to: piece.to,
  atBegin: piece.atBegin,
  atEnd: piece.atEnd,
  loaded: true,
})

export const withLater = (talk: ConversationContents, piece: TalkPiece): ConversationContents => {
  const isSame = piece.events.length === 0 && piece.to.run === talk.to.run && piece.to.offset === talk.to.offset
  if (isSame && piece.atEnd === talk.atEnd) return talk
  const blocks = withEvents(talk.blocks, piece.events)
  return withoutFirst({ ...talk, blocks, to: piece.to, atEnd: piece.atEnd })
}

export const withBefore = (talk: ConversationContents, piece: TalkPiece): ConversationContents =>
  withoutLast({ ...talk, blocks: withEarlier(talk.blocks, piece.events), from: piece.from, atBegin: piece.atBegin })

const withoutFirst = (talk: ConversationContents): ConversationContents => {
  if (talk.blocks.length <= MOST * 1.25) return talk
  const cut = lineStart(talk.blocks, talk.blocks.length - MOST)
  const { run, offset } = talk.blocks[cut]!
  return { ...talk, blocks: talk.blocks.slice(cut), from: { run, offset }, atBegin: false }
}

const withoutLast = (talk: ConversationContents): ConversationContents => {
  if (talk.blocks.length <= MOST * 1.25) return talk
  const cut = lineStart(talk.blocks, MOST)
  const { run, offset } = talk.blocks[cut]!
  return { ...talk, blocks: talk.blocks.slice(0, cut), to: { run, offset }, atEnd: false }
}

/** The next block with which a line of output begins. */
const lineStart = (blocks: readonly Block[], from: number): number => {
  let at = from
  while (
    at + 1 < blocks.length &&
    blocks[at]!.run === blocks[at - 1]!.run &&
    blocks[at]!.offset === blocks[at - 1]!.offset
  )
    at++
  return at
}
