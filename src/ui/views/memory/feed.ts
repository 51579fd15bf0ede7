import type { StoreApi } from 'zustand/vanilla'
import type { FileMemories } from '../../../contracts/memories.ts'
import { retrieveConversation } from '../../../operations/memory/conversations.ts'
import { retrieveExecution } from '../../../operations/memory/executions.ts'
import { type ConversationPage, listConversations, readTrail, type Turn } from '../../../operations/memory/trail.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { searchTaskLogs } from '../../../operations/screens/search.ts'
import type { ConsoleOptions } from '../../core/controller.ts'
import type { ConsoleState, Overlay, Transition } from '../../core/state.ts'
import { keep } from '../../core/structural-sharing.ts'
import { repeat, throttled } from '../../core/timers.ts'
import {
  type Found,
  listIn,
  memoryHeight,
  type MemoryList,
  type MemoryOverlay,
  nothingRead,
  type Place,
  placeAt,
  rowsOf,
  turnsOf,
} from './memory.ts'
import type { RecordRef } from './rows.ts'
import { foundFor, MOST_FOUND, wordsIn } from './search.ts'

/**
 * Milliseconds between two checks of the files, between two reads of the same rows, and between two searches for the
 * same words: one for a word in 100,000 conversations takes 0.3 s.
 */
const often = { files: 1000, rows: 100, search: 10_000 } as const

/** Reads the contents of the memory pane while it is open, after changes. Returns a function that stops it. */
export const startMemoryFeed = (
  { connection, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const reading: Reading = {
    connection,
    state: store.getState,
    change,
    shown: () => shownIn(store.getState().view.overlay),
  }
  const search = throttled(
    often.search,
    careful(() => searchWords(reading)),
  )
  const files = throttled(
    often.rows,
    careful(() => readFiles(reading, search.ask)),
  )
  const page = throttled(
    often.rows,
    careful(() => readPage(reading)),
  )
  const turns = throttled(
    often.rows,
    careful(() => readTurns(reading)),
  )

  const stopped: (() => void)[] = []
  const stop = (): void => stopped.splice(0).forEach((one) => one())
  const begin = (): void => {
    stopped.push(
      repeat(often.files, files.ask),
      watch(() => [page, turns, search].forEach((one) => one.ask())),
    )
  }
  const look = (after: ConsoleState, before: ConsoleState): void => {
    if (after.view.overlay === before.view.overlay && after.view.size === before.view.size) return
    const [now, then] = [shownIn(after.view.overlay), shownIn(before.view.overlay)]
    if (!now.open) {
      if (stopped.length > 0) connection.outside.memories.forget()
      stop()
      return change(memoryClosed)
    }
    if (stopped.length === 0) begin()
    if (now.files && !then.files) files.ask()
    if (now.record !== then.record && now.record) turns.ask()
    if (now.memory && now.memory.words !== then.memory?.words) search.hurry()
    if (now.memory && lacksRows(after, now.memory)) page.ask()
  }
  const ends = [store.subscribe(look), files.stop, page.stop, turns.stop, search.stop]
  return () => [stop, ...ends].forEach((end) => end())
}

interface Shown {
  readonly open: boolean
  readonly memory: MemoryOverlay | undefined
  /** The record in front. */
  readonly record: RecordRef | undefined
  /** True if memories in files are shown. */
  readonly files: boolean
}

/** The open parts of the memories, also below another view. */
const shownIn = (overlay: Overlay | null | undefined): Shown => {
  let memory: MemoryOverlay | undefined
  let record: RecordRef | undefined
  for (let one = overlay; one; one = one.behind) {
    if (one.kind === 'memory') memory ??= one
    else if (one.kind === 'record') record ??= one.record
  }
  return { open: memory !== undefined || record !== undefined, memory, record, files: memory !== undefined }
}

/** True if rows are visible that were not read. */
const lacksRows = (state: ConsoleState, memory: MemoryOverlay): boolean => {
  if (listIn(memory) !== 'conversations') return false
  const { page } = state.memory
  if (!page) return true
  const { top } = memory.places.conversations
  const last = Math.min(page.total, top + memoryHeight(state))
  return top < page.from || last > page.from + page.conversations.length
}

// The reads of the parts of the memories that are shown.

/** Conversations per read. */
const PAGE = 200

interface Reading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly shown: () => Shown
}

const readFiles = async ({ connection, state, change, shown }: Reading, changed: () => void): Promise<void> => {
  if (!shown().files) return
  const read = await connection.outside.memories.read()
  if (!shown().files || read === state().memory.files) return
  change(filesArrived(read))
  changed()
}

/** Conversations around the selected one. */
const readPage = async ({ connection: { core, actor }, change, shown }: Reading): Promise<void> => {
  const { memory } = shown()
  if (!memory || listIn(memory) !== 'conversations') return
  const { key, at } = memory.places.conversations
  const from = Math.max(0, at - PAGE / 2)
  const next = await perform(
    core,
    listConversations,
    { userId: core.memoryUser, from, limit: PAGE, ...(key === null ? {} : { around: key }) },
    actor,
  )
  if (shown().memory) change(pageArrived(next, key))
}

const readTurns = async ({ connection: { core, actor }, change, shown }: Reading): Promise<void> => {
  const { record } = shown()
  const of = record && turnsOf(record)
  if (!record || !of) return
  const about = record.of === 'trail' ? { taskId: record.taskId } : { messageId: messageOf(record) }
  const next = await perform(core, readTrail, { userId: core.memoryUser, of: about }, actor)
  if (shown().record) change(turnsArrived(of, next))
}

const searchWords = async ({ connection: { core, actor, outside }, state, change, shown }: Reading): Promise<void> => {
  const words = shown().memory?.words ?? ''
  if (words === '') return
  // The files first, which may not have been read yet.
  const read = await outside.memories.read()
  const search = { userId: core.memoryUser, query: words, limit: MOST_FOUND }
  const conversations = await perform(core, retrieveConversation, search, actor)
  const executions = await perform(core, retrieveExecution, search, actor)
  const notes = await perform(core, searchTaskLogs, { words: wordsIn(words).slice(0, 20), limit: MOST_FOUND }, actor)
  if (shown().memory?.words !== words) return
  change(filesArrived(read))
  change(foundArrived(foundFor(words, state().memory, { conversations, executions, notes })))
}

const messageOf = (record: RecordRef): string => (record.of === 'message' ? record.messageId : '')

// Transitions for data of the memory pane. Each list keeps the selected row, wherever it is now.

export const filesArrived =
  (files: FileMemories): Transition =>
  (state) =>
    files === state.memory.files
      ? state
      : keepingPlaces({ ...state, memory: { ...state.memory, files } }, ['working', 'decisions', 'timeline'])

/** `around` is the requested row: if the cursor has moved meanwhile, its place is ignored. */
export const pageArrived =
  (next: ConversationPage, around: string | null): Transition =>
  (state) => {
    const page = keep(state.memory.page, next)
    if (page === state.memory.page) return state
    return inMemory({ ...state, memory: { ...state.memory, page } }, (overlay, now) => {
      const place = overlay.places.conversations
      const moved = next.place !== null && place.key === around ? next.place : place.at
      return withPlace(overlay, 'conversations', placeAt(now, 'conversations', shifted(place, moved), moved))
    })
  }

const foundArrived =
  (found: Found): Transition =>
  (state) =>
    keepingPlaces({ ...state, memory: { ...state.memory, found } }, ['found'])

const turnsArrived =
  (of: string, next: readonly Turn[]): Transition =>
  (state) => {
    const turns = keep(state.memory.turns, { of, turns: next })
    return turns === state.memory.turns ? state : { ...state, memory: { ...state.memory, turns } }
  }

/** Frees the data when the pane is closed. */
const memoryClosed: Transition = (state) => (state.memory === nothingRead ? state : { ...state, memory: nothingRead })

const keepingPlaces = (state: ConsoleState, lists: readonly MemoryList[]): ConsoleState =>
  inMemory(state, (overlay, now) =>
    lists.reduce((changed, list) => {
      const place = changed.places[list]
      const at = place.key === null ? -1 : (rowsOf(now, list)?.find(place.key) ?? -1)
      const wanted = at === -1 ? place.at : at
      return withPlace(changed, list, placeAt(now, list, shifted(place, wanted), wanted))
    }, overlay),
  )

/** New rows above push the visible ones down with the cursor, unless the first row is visible. */
const shifted = (place: Place, at: number): Place =>
  place.top === 0 ? place : { ...place, top: Math.max(0, place.top + at - place.at) }

const withPlace = (overlay: Overlay & MemoryOverlay, list: MemoryList, place: Place): Overlay & MemoryOverlay => ({
  ...overlay,
  places: { ...overlay.places, [list]: place },
})

/** Changes the pane, also below a view that was opened from it. */
const inMemory = (
  state: ConsoleState,
  change: (overlay: Overlay & MemoryOverlay, state: ConsoleState) => Overlay,
): ConsoleState => {
  const within = (overlay: Overlay | null | undefined): Overlay | null | undefined =>
    !overlay
      ? overlay
      : overlay.kind === 'memory'
        ? change(overlay, state)
        : overlay.behind
          ? { ...overlay, behind: within(overlay.behind) ?? null }
          : overlay
  const overlay = within(state.view.overlay)
  return overlay === state.view.overlay ? state : { ...state, view: { ...state.view, overlay: overlay ?? null } }
}
