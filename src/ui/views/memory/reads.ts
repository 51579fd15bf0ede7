import type { Connection } from '../../../operations/perform/core.ts'
import { listConversations, readTrail } from '../../../operations/memory/trail.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { retrieveConversation } from '../../../operations/memory/conversations.ts'
import { retrieveExecution } from '../../../operations/memory/executions.ts'
import { searchTaskLogs } from '../../../operations/screens/search.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { filesArrived, foundArrived, pageArrived, turnsArrived } from './reducers.ts'
import { foundFor, wordsIn } from './found.ts'
import { MOST_FOUND } from './found-rows.ts'
import type { Shown } from './shown.ts'
import { listIn, type RecordRef, turnsOf } from './state.ts'

// The reads of the parts of the memories that are shown.

/** Conversations per read. */
const PAGE = 200

export interface Reading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly shown: () => Shown
}

export const readFiles = async ({ connection, state, change, shown }: Reading, changed: () => void): Promise<void> => {
  if (!shown().files) return
  const read = await connection.outside.memories.read()
  if (!shown().files || read === state().memory.files) return
  change(filesArrived(read))
  changed()
}

/** Conversations around the selected one. */
export const readPage = async ({ connection: { core, actor }, change, shown }: Reading): Promise<void> => {
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

export const readTurns = async ({ connection: { core, actor }, change, shown }: Reading): Promise<void> => {
  const { record } = shown()
  const of = record && turnsOf(record)
  if (!record || !of) return
  const about = record.of === 'trail' ? { taskId: record.taskId } : { messageId: messageOf(record) }
  const next = await perform(core, readTrail, { userId: core.memoryUser, of: about }, actor)
  if (shown().record) change(turnsArrived(of, next))
}

export const searchWords = async ({
  connection: { core, actor, outside },
  state,
  change,
  shown,
}: Reading): Promise<void> => {
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
