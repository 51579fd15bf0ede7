import type { Saying, Spot, TalkEvent, TalkPiece } from '../../../contracts/conversation.ts'
import type { Edit, PlanStep } from '../../../domain/agent/conversation.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { ConversationRun } from '../../../operations/screens/conversation.ts'

// The loaded part of a conversation as blocks, and how events become blocks.

/** Whose conversation it is: that of an agent in all its runs, or of all agents with a task. */
export type Subject = { readonly agentId: string } | { readonly taskId: number }

/** The identity of a block: the first saying that it is made of. */
export interface BlockId extends Spot {
  readonly part: number
}

/** A call of a tool with everything that is known of it by now. */
export interface CallBlock extends BlockId {
  readonly kind: 'call'
  readonly call: string
  readonly name: string
  readonly about: string
  readonly command: string | null
  readonly edits: readonly Edit[]
  readonly result: string | null
  /** The line of output that contains its result. */
  readonly resultAt: Spot | null
  readonly outcome: 'open' | 'ok' | 'failed' | 'denied'
}

/** A part of the conversation that is drawn, folded and copied as one. */
export type Block =
  | CallBlock
  | (BlockId &
      (
        | { readonly kind: 'run' }
        | { readonly kind: 'said' | 'thought' | 'output'; readonly text: string }
        | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }
        | { readonly kind: 'asks'; readonly tool: string; readonly about: string; readonly input: string }
        | { readonly kind: 'message'; readonly id: number }
        | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
        | { readonly kind: 'ended'; readonly ok: boolean; readonly text: string }
        | { readonly kind: 'gap'; readonly bytes: number }
      ))

/** The loaded part of the conversation in front. */
export interface ConversationContents {
  readonly subject: Subject | null
  readonly runs: readonly ConversationRun[]
  readonly messages: readonly MessageView[]
  readonly requests: readonly RequestView[]
  readonly blocks: readonly Block[]
  /** Reading continues before `from`, and at `to`. */
  readonly from: Spot
  readonly to: Spot
  readonly atBegin: boolean
  readonly atEnd: boolean
  /** False until something was read. */
  readonly loaded: boolean
}

const start: Spot = { run: 0, offset: 0 }

export const nothingSaid: ConversationContents = {
  subject: null,
  runs: [],
  messages: [],
  requests: [],
  blocks: [],
  from: start,
  to: start,
  atBegin: true,
  atEnd: true,
  loaded: false,
}

export const keyOf = ({ run, offset, part }: BlockId): string => `${run}.${offset}.${part}`

/** Negative if `a` is before `b`. */
export const compare = (a: BlockId, b: BlockId): number => a.run - b.run || a.offset - b.offset || a.part - b.part

// Pieces are added at both ends of the loaded part, and the far end is dropped.

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

// Composes what was said and done into blocks. New events only change the last blocks.

/** The blocks with these events after them. */
export const withEvents = (blocks: readonly Block[], events: readonly TalkEvent[]): readonly Block[] => {
  if (events.length === 0) return blocks
  const all = [...blocks]
  for (const event of events) add(all, event)
  return all
}

/** The blocks of earlier events, followed by these; a result finds its call among the earlier ones. */
export const withEarlier = (blocks: readonly Block[], events: readonly TalkEvent[]): readonly Block[] => {
  const earlier = [...withEvents([], events)]
  const later = blocks.filter((block) => !isLateResult(block) || !take(earlier, block))
  return [...earlier, ...later]
}

/** A result whose call was not loaded. */
const isLateResult = (block: Block): block is CallBlock => block.kind === 'call' && block.name === ''

const take = (blocks: Block[], { call, result, resultAt, outcome }: CallBlock): boolean =>
  change(blocks, call, (known) => ({ ...known, result, resultAt, outcome }))

const add = (blocks: Block[], { run, offset, part, saying }: TalkEvent): void => {
  const id: BlockId = { run, offset, part }
  switch (saying.kind) {
    case 'run': {
      // A run that has printed nothing yet is read again.
      const last = blocks.at(-1)
      if (last?.kind !== 'run' || last.run !== run) blocks.push({ ...id, kind: 'run' })
      return
    }
    case 'text':
      return addText(blocks, id, saying)
    case 'tool':
      return addCall(blocks, id, saying)
    case 'input':
      if (!change(blocks, saying.call, (call) => ({ ...call, command: saying.command, edits: saying.edits })))
        blocks.push({ ...emptyCall, ...id, ...saying, kind: 'call' })
      return
    case 'result':
      return addResult(blocks, id, saying)
    case 'failed':
      return addFailure(blocks, id, saying)
    case 'plan': {
      // Each call of the plan's tool repeats the whole plan.
      const last = blocks.at(-1)
      if (last?.kind === 'call' && last.result === null && last.edits.length === 0 && /todo|plan/i.test(last.name))
        blocks.pop()
      return void blocks.push({ ...id, kind: 'plan', steps: saying.steps })
    }
    case 'thought':
      return void blocks.push({ ...id, kind: 'thought', text: saying.text })
    default:
      blocks.push({ ...id, ...saying })
  }
}

/** Text in pieces is continued in a new block from here on (characters), so that a piece never costs a whole book. */
const LONG_TEXT = 8000

const addText = (blocks: Block[], id: BlockId, { text, continues }: Extract<Saying, { kind: 'text' }>): void => {
  const last = blocks.at(-1)
  if (continues && last?.kind === 'said' && last.run === id.run && last.text.length < LONG_TEXT)
    blocks[blocks.length - 1] = { ...last, text: last.text + text }
  else blocks.push({ ...id, kind: 'said', text })
}

const emptyCall = {
  kind: 'call',
  call: '',
  name: '',
  about: '',
  command: null,
  edits: [],
  result: null,
  resultAt: null,
  outcome: 'open',
} as const

/** Some CLIs report one call repeatedly while it runs. */
const addCall = (blocks: Block[], id: BlockId, { call, name, about }: Extract<Saying, { kind: 'tool' }>): void => {
  if (!change(blocks, call, (known) => ({ ...known, name, about: about || known.about })))
    blocks.push({ ...emptyCall, ...id, call, name, about })
}

const addResult = (blocks: Block[], id: BlockId, { call, text, failed }: Extract<Saying, { kind: 'result' }>): void => {
  const done = (known: CallBlock): CallBlock => ({
    ...known,
    result: text,
    resultAt: { run: id.run, offset: id.offset },
    outcome: failed ? (known.outcome === 'denied' ? 'denied' : 'failed') : 'ok',
  })
  if (!change(blocks, call, done) && !isPlans(blocks, call)) blocks.push(done({ ...emptyCall, ...id, call }))
}

/** The plan's tool has no block of its own; its answer says nothing. */
const isPlans = (blocks: readonly Block[], call: string): boolean => call !== '' && blocks.at(-1)?.kind === 'plan'

const addFailure = (
  blocks: Block[],
  id: BlockId,
  { call, name, about, denied }: Extract<Saying, { kind: 'failed' }>,
): void => {
  const outcome = denied ? 'denied' : 'failed'
  if (!change(blocks, call, (known) => ({ ...known, outcome, result: known.result ?? about })))
    blocks.push({ ...emptyCall, ...id, call, name, about, outcome })
}

/** How many blocks back the call of a result is looked for: several calls run at the same time. */
const REACH = 200

/** Changes the block of a call; false if it is not there. */
const change = (blocks: Block[], call: string, by: (block: CallBlock) => CallBlock): boolean => {
  if (call === '') return false
  for (let at = blocks.length - 1; at >= Math.max(0, blocks.length - REACH); at--) {
    const block = blocks[at]!
    if (block.kind !== 'call' || block.call !== call) continue
    blocks[at] = by(block)
    return true
  }
  return false
}
