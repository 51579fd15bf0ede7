import { z } from 'zod'
import { moveMessage, seeMessages, selectJournals, selectOpenMessages } from '../../db/messages.ts'
import { findActing } from '../door/find.ts'
import { operation } from '../door/operation.ts'
import { messageView, viewMessage } from './messages.ts'

/**
 * The messages that an agent gets with the answer of a tool. Its next call proves that it has read those of the last
 * answer. An agent with a journal gets its messages there.
 */
export const takeMessages = operation({
  name: 'take_messages',
  summary: 'Hand over the messages to an agent that is reached through its tools only',
  access: 'beat',
  authority: 'agent',
  input: z.strictObject({}),
  output: z.array(messageView),
  run: async (context) => {
    const { db, now } = context
    const agent = await findActing(context, undefined)
    if ((await selectJournals(db, [agent.id])).has(`${agent.id}.${agent.run}`)) return []
    const open = (await selectOpenMessages(db, agent.id, agent.run)).filter(({ delivery }) => delivery !== 'attempt')
    const read = open.filter(({ status }) => status === 'handed_over').map(({ id }) => id)
    if (read.length > 0) await seeMessages(db, read, now)
    const due = open.filter(({ status, kind }) => status === 'queued' && kind === 'say')
    for (const { id } of due) await moveMessage(db, id, 'hand_over', { handed_over_at: now })
    return due.map(viewMessage)
  },
})

/** True if an agent may have messages; a read, so that most calls of tools write nothing. */
export const hasMessages = operation({
  name: 'has_messages',
  summary: 'Tell whether there is a message for the calling agent',
  access: 'read',
  authority: 'agent',
  input: z.strictObject({}),
  output: z.boolean(),
  run: async (context) => {
    const agent = await findActing(context, undefined)
    const open = await selectOpenMessages(context.db, agent.id, agent.run)
    return open.some(({ delivery }) => delivery !== 'attempt')
  },
})
