import { z } from 'zod'
import { selectOpenMessages } from '../../db/messages.ts'
import { selectRequest } from '../../db/requests.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { messageView, viewMessage } from '../messages/messages.ts'
import { requestView, viewRequest } from '../requests/requests.ts'

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
