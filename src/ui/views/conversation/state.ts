import type { Edit, PlanStep } from '../../../domain/agent/conversation.ts'
import type { Spot } from '../../../contracts/conversation.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { ConversationRun } from '../../../operations/screens/conversation.ts'

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

export interface TalkSearchOverlay {
  readonly kind: 'talk-search'
  readonly text: string
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

export const keyOf = ({ run, offset, part }: BlockId): string => `${run}.${offset}.${part}`

/** Negative if `a` is before `b`. */
export const compare = (a: BlockId, b: BlockId): number => a.run - b.run || a.offset - b.offset || a.part - b.part
