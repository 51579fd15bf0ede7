import type { StoreApi } from 'zustand/vanilla'
import { listConversations } from '../../operations/list-conversations.ts'
import { perform } from '../../operations/kernel/perform.ts'
import { readTrail } from '../../operations/read-trail.ts'
import { retrieveConversation } from '../../operations/retrieve-conversation.ts'
import { retrieveExecution } from '../../operations/retrieve-execution.ts'
import { searchTaskLogs } from '../../operations/search-task-logs.ts'
import type { ConsoleOptions } from '../console-options.ts'
import { atMost, repeat } from '../pace.ts'
import type { ConsoleState, Overlay, Transition } from '../state.ts'
import { filesArrived, foundArrived, memoryClosed, pageArrived, turnsArrived } from './arrivals.ts'
import { foundFor, MOST_FOUND, wordsIn } from './found.ts'
import { memoryHeight } from './movement.ts'
import { listIn, type MemoryOverlay, type RecordRef, turnsOf } from './state.ts'

/** Milliseconds between two looks at the files, between two readings of the same, and between two searches for the same words: one for a word that 100,000 conversations have takes 0.3 s. */
const often = { files: 1000, rows: 100, search: 10_000 } as const

/** Conversations that are read at a time. */
const PAGE = 200

/** Reads for the memory pane what it shows, while it is open and something has changed; nothing while it is closed. Gives what stops it. */
export const startMemoryFeed = (
  { connection, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
): (() => void) => {
  const { core, actor, outside } = connection
  const userId = core.memoryUser
  const change = (transition: Transition): void => store.setState(transition, true)
  const shown = (): Shown => shownIn(store.getState().view.overlay)

  const files = atMost(
    often.rows,
    careful(async () => {
      if (!shown().files) return
      const read = await outside.memories.read()
      if (!shown().files || read === store.getState().memory.files) return
      change(filesArrived(read))
      again.ask()
    }),
  )
  const page = atMost(
    often.rows,
    careful(async () => {
      const { memory } = shown()
      if (!memory || listIn(memory) !== 'conversations') return
      const { key, at } = memory.places.conversations
      const from = Math.max(0, at - PAGE / 2)
      const next = await perform(core, listConversations, { userId, from, limit: PAGE, ...(key === null ? {} : { around: key }) }, actor)
      if (shown().memory) change(pageArrived(next, key))
    }),
  )
  const turns = atMost(
    often.rows,
    careful(async () => {
      const { record } = shown()
      const of = record && turnsOf(record)
      if (!record || !of) return
      const next = await perform(core, readTrail, { userId, of: record.of === 'trail' ? { taskId: record.taskId } : { messageId: messageOf(record) } }, actor)
      if (shown().record) change(turnsArrived(of, next))
    }),
  )
  const seek = async (): Promise<void> => {
    const words = shown().memory?.words ?? ''
    if (words === '') return
    // The files first, which may not have been read yet.
    const read = await outside.memories.read()
    const search = { userId, query: words, limit: MOST_FOUND }
    const conversations = await perform(core, retrieveConversation, search, actor)
    const executions = await perform(core, retrieveExecution, search, actor)
    const notes = await perform(core, searchTaskLogs, { words: wordsIn(words).slice(0, 20), limit: MOST_FOUND }, actor)
    if (shown().memory?.words !== words) return
    change(filesArrived(read))
    change(foundArrived(foundFor(words, store.getState().memory, { conversations, executions, notes })))
  }
  const search = careful(seek)
  const again = atMost(often.search, search)

  const stopped: (() => void)[] = []
  const stop = (): void => stopped.splice(0).forEach((one) => one())
  const begin = (): void => {
    stopped.push(
      repeat(often.files, files.ask),
      watch(() => [page, turns, again].forEach((one) => one.ask())),
    )
  }
  const look = (after: ConsoleState, before: ConsoleState): void => {
    if (after.view.overlay === before.view.overlay && after.view.size === before.view.size) return
    const [now, then] = [shownIn(after.view.overlay), shownIn(before.view.overlay)]
    if (!now.open) {
      if (stopped.length > 0) outside.memories.forget()
      stop()
      return change(memoryClosed)
    }
    if (stopped.length === 0) begin()
    if (now.files && !then.files) files.ask()
    if (now.record !== then.record && now.record) turns.ask()
    if (now.memory && now.memory.words !== then.memory?.words) void search()
    if (now.memory && lacksRows(after, now.memory)) page.ask()
  }
  const ends = [store.subscribe(look), files.stop, page.stop, turns.stop, again.stop]
  return () => [stop, ...ends].forEach((end) => end())
}

interface Shown {
  readonly open: boolean
  readonly memory: MemoryOverlay | undefined
  /** The record in front. */
  readonly record: RecordRef | undefined
  /** Whether what lies in files is shown. */
  readonly files: boolean
}

/** What of the memories is open, also beneath something else. */
const shownIn = (overlay: Overlay | null | undefined): Shown => {
  let memory: MemoryOverlay | undefined
  let record: RecordRef | undefined
  for (let one = overlay; one; one = one.behind) {
    if (one.kind === 'memory') memory ??= one
    else if (one.kind === 'record') record ??= one.record
  }
  return { open: memory !== undefined || record !== undefined, memory, record, files: memory !== undefined }
}

/** True where rows are in sight that were not read. */
const lacksRows = (state: ConsoleState, memory: MemoryOverlay): boolean => {
  if (listIn(memory) !== 'conversations') return false
  const { page } = state.memory
  if (!page) return true
  const { top } = memory.places.conversations
  const last = Math.min(page.total, top + memoryHeight(state))
  return top < page.from || last > page.from + page.conversations.length
}

const messageOf = (record: RecordRef): string => (record.of === 'message' ? record.messageId : '')
