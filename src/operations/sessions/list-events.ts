import { z } from 'zod'
import { selectEvents } from '../../db/events.ts'
import { operation } from '../perform/operation.ts'
import { eventView, viewEvent } from '../views/events.ts'

export const listEvents = operation({
  name: 'list_events',
  summary: 'List the events, oldest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ afterId: z.int().min(0).optional(), limit: z.int().min(1).max(10_000).default(200) }),
  output: () => z.array(eventView()),
  run: async ({ db }, { afterId, limit }) =>
    (await selectEvents(db, { limit, ...(afterId === undefined ? {} : { afterId }) })).map(viewEvent),
})
