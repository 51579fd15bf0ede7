import { z } from 'zod'
import { moveMessage, seeMessages } from '../../db/messages.ts'
import { closeRequest, markTold, selectRequest } from '../../db/requests.ts'
import { operation } from '../perform/operation.ts'
import { resetProgress } from '../requests/requests.ts'
import { once } from '../../domain/words/once.ts'

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
