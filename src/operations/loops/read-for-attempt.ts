import { z } from 'zod'
import { selectForAttempt } from '../../db/messages.ts'
import { taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { messageView, viewMessage } from '../messages/messages.ts'

export const readForAttempt = operation({
  name: 'read_for_attempt',
  summary: 'Read the messages that wait for the next attempt of a task',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ taskId }),
  output: () => z.array(messageView()),
  run: async ({ db }, { taskId }) => (await selectForAttempt(db, taskId)).map(viewMessage),
})
