import { z } from 'zod'
import { moveMessage, seeMessages, selectOpenMessages } from '../../db/messages.ts'
import { closeRequest, markTold, selectRequest } from '../../db/requests.ts'
import { once } from '../../domain/words/once.ts'
import { messageView, viewMessage } from '../messages/messages.ts'
import { operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { requestView, resetProgress, viewRequest } from '../requests/requests.ts'

export const readTalk = operation({
  name: 'read_talk',
  summary: 'Read what is to be said to a run: open messages, and requests by their numbers',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1), requestIds: z.array(z.int()) }),
  output: () => z.object({ messages: z.array(messageView()), requests: z.array(requestView()) }),
  run: async ({ db }, { agentId, run, requestIds }) => ({
    messages: (await selectOpenMessages(db, agentId, run))
      // Mail never begins or interrupts a turn: the agent gets it with the answer of a tool.
      .filter(({ delivery, sent_to }) => delivery !== 'attempt' && sent_to === null)
      .map(viewMessage),
    requests: (await Promise.all(requestIds.map((id) => selectRequest(db, id)))).flatMap((row) =>
      row === undefined ? [] : [viewRequest(row)],
    ),
  }),
})

const ids = once(() => z.array(z.int().min(1)).default([]))

export const recordTalk = operation({
  name: 'record_talk',
  summary: 'Record what was handed over to a running agent, what it has read, and which requests it withdrew',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ handedOver: ids(), seen: ids(), told: ids(), withdrawn: ids() }),
  output: () => z.null(),
  run: async ({ db, now }, { handedOver, seen, told, withdrawn }) => {
    for (const id of handedOver) await moveMessage(db, id, 'hand_over', { handed_over_at: now })
    await seeMessages(db, seen, now)
    for (const id of told) await markTold(db, id, now)
    for (const id of withdrawn) {
      const request = await selectRequest(db, id)
      if (
        request &&
        (await closeRequest(db, id, { status: 'withdrawn', answer: null, answered_by: 'aiswarm', answered_at: now }))
      )
        await resetProgress({ db, now }, request.task_id)
    }
    return null
  },
})
