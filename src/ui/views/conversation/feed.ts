import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions } from '../../core/controller.ts'
import type { Spot, TalkPiece } from '../../../contracts/conversation.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readConversation } from '../../../operations/screens/conversation.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { changingView, type ConsoleState } from '../../core/state.ts'
import { keep } from '../../core/structural-sharing.ts'
import { throttled } from '../../core/timers.ts'
import { bottomOf, conversationIn, type ConversationOverlay, shownBlocks, topOf } from './window.ts'
import { begunWith, type ConversationContents, nothingSaid, withBefore, withLater } from './blocks.ts'
import { showAt } from './conversation.ts'

/** Milliseconds between two reads of an output that grows all the time: as many as the frames that Ink draws. */
const OFTEN = 33

/** Milliseconds between two reads of messages and requests. */
const ROWS = 100

/** Pieces that are read in one go; an output that is further ahead is read from its end. */
const AT_ONCE = 8

/** Screens of blocks that are loaded above and below the visible ones. */
const AHEAD = 2

type Careful = (work: () => Promise<void>) => () => Promise<boolean>

/** Reads the conversation in front while it is open. Returns a function that stops it. */
export const startConversationFeed = (
  { connection, watch }: ConsoleOptions,
  store: StoreApi<ConsoleState>,
  careful: Careful,
): (() => void) => {
  const reader = makeReader(connection, store)
  const output = throttled(OFTEN, careful(reader.output))
  const rows = throttled(
    ROWS,
    careful(async () => {
      await reader.rows()
      watchLast()
      output.hurry()
    }),
  )
  let watched: { readonly agentId: string; readonly stop: () => void } | undefined
  /** Only the last agent may still print. */
  const watchLast = (): void => {
    const state = store.getState()
    const subject = conversationIn(state)?.subject
    const agentId = subject === undefined ? undefined : state.talk.runs.at(-1)?.agentId
    if (agentId === watched?.agentId) return
    watched?.stop()
    watched =
      agentId === undefined ? undefined : { agentId, stop: connection.outside.conversations.watch(agentId, output.ask) }
  }
  const endStore = store.subscribe((state, before) => {
    if (state.view.overlay === before.view.overlay && state.view.size === before.view.size) return
    const [is, was] = [conversationIn(state), conversationIn(before)]
    if (is?.subject !== was?.subject) {
      reader.begin()
      watchLast()
      if (is) rows.hurry()
    } else if (is && is !== was) output.hurry()
  })
  const endWatch = watch(() => {
    if (conversationIn(store.getState())) rows.ask()
  })
  return () => {
    endStore()
    endWatch()
    watched?.stop()
    output.stop()
    rows.stop()
  }
}

/** Reads rows and output into the state, for the conversation that is in front at that moment. */
const makeReader = ({ core, actor, outside }: ConsoleOptions['connection'], store: StoreApi<ConsoleState>) => {
  let opening = 0
  const change = (by: (talk: ConversationContents) => ConversationContents): void => {
    const { talk } = store.getState()
    const next = by(talk)
    if (next !== talk) store.setState((state) => ({ ...state, talk: next }), true)
  }
  const read = async (from: Spot | 'begin' | 'end', direction: 'before' | 'after'): Promise<TalkPiece | undefined> => {
    const own = opening
    const { runs, messages } = store.getState().talk
    const piece = await outside.conversations.read(runs, messages, from, direction)
    return own === opening ? piece : undefined
  }
  const restart = async (): Promise<void> => {
    const piece = await read('end', 'before')
    if (piece) change((talk) => begunWith(talk, piece))
  }
  return {
    begin: (): void => {
      opening++
      store.setState((state) => ({ ...state, talk: nothingSaid }), true)
    },
    rows: async (): Promise<void> => {
      const own = opening
      const subject = conversationIn(store.getState())?.subject
      if (!subject) return
      const known = await perform(core, readConversation, subject, actor)
      if (own !== opening) return
      change((talk) => ({
        ...talk,
        subject,
        runs: keep(talk.runs, known.runs),
        messages: keep(talk.messages, known.messages),
        requests: keep(talk.requests, known.requests),
      }))
    },
    output: async (): Promise<void> => {
      if (store.getState().talk.subject === null) return
      if (!store.getState().talk.loaded) await restart()
      await seek(store, read, change)
      await readOn(store, read, change, restart)
      await loadAround(store, read, change)
    },
  }
}

type Read = (from: Spot | 'begin' | 'end', direction: 'before' | 'after') => Promise<TalkPiece | undefined>
type Change = (by: (talk: ConversationContents) => ConversationContents) => void

/** Loads what a key has asked for, and shows it. */
const seek = async (store: StoreApi<ConsoleState>, read: Read, change: Change): Promise<void> => {
  const wanted = conversationIn(store.getState())?.wanted ?? null
  if (wanted === null) return
  const { talk } = store.getState()
  const isLoaded =
    typeof wanted !== 'string' && !isBefore(wanted, talk.from) && (talk.atEnd || isBefore(wanted, talk.to))
  const piece = isLoaded ? undefined : await read(wanted, wanted === 'end' ? 'before' : 'after')
  if (!isLoaded && !piece) return
  if (piece) change((talk) => begunWith(talk, piece))
  store.setState((state) => sought(state, wanted), true)
}

const isBefore = (a: Spot, b: Spot): boolean => a.run < b.run || (a.run === b.run && a.offset < b.offset)

const sought = (state: ConsoleState, wanted: NonNullable<ConversationOverlay['wanted']>): ConsoleState => {
  const { overlay } = state.view
  if (overlay?.kind !== 'conversation' || overlay.wanted !== wanted) return state
  if (wanted === 'end') return changingView(() => ({ overlay: { ...overlay, wanted: null, place: null } }))(state)
  return showAt(state, overlay, wanted === 'begin' ? { run: 0, offset: 0 } : wanted)
}

/** Appends what was printed since, if the end is loaded. */
const readOn = async (
  store: StoreApi<ConsoleState>,
  read: Read,
  change: Change,
  restart: () => Promise<void>,
): Promise<void> => {
  for (let pieces = 0; store.getState().talk.atEnd; pieces++) {
    const { to } = store.getState().talk
    const piece = await read(to, 'after')
    if (!piece) return
    // A shorter output was cut in its middle (session.logLimit).
    if (piece.to.run === to.run && piece.to.offset < to.offset) return restart()
    change((talk) => withLater(talk, { ...piece, atEnd: true }))
    if (piece.atEnd) return
    if (pieces >= AT_ONCE && conversationIn(store.getState())?.place === null) return restart()
  }
}

/** Loads some screens above and below the visible part. */
const loadAround = async (store: StoreApi<ConsoleState>, read: Read, change: Change): Promise<void> => {
  for (let pieces = 0; pieces < AT_ONCE; pieces++) {
    const state = store.getState()
    const overlay = conversationIn(state)
    if (!overlay) return
    const { talk } = state
    const height = sheetHeight(state)
    const top = topOf(state, overlay, height)
    if (!talk.atBegin && top.index < AHEAD * height) {
      const piece = await read(talk.from, 'before')
      if (!piece) return
      change((now) => withBefore(now, piece))
    } else if (!talk.atEnd && shownBlocks(state).length - bottomOf(state, overlay, top, height) < AHEAD * height) {
      const piece = await read(talk.to, 'after')
      if (!piece) return
      change((now) => withLater(now, piece))
    } else return
  }
}
