import { z } from 'zod'
import { selectDueDelivery, selectHooks, selectNextDelivery } from '../../db/hooks.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

const delivery = lazyObject(() => ({
  id: z.string(),
  hook: z.string(),
  taskId: z.int().nullable(),
  worktree: z.string().nullable(),
  /** The JSON as it is sent. */
  payload: z.string(),
  tries: z.int(),
}))
export type Delivery = z.output<ReturnType<typeof delivery>>

export const readDeliveries = operation({
  name: 'read_deliveries',
  summary: 'Read the next delivery of each of these hooks, and when more are due',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ hooks: z.array(z.string()) }),
  output: () =>
    z.object({
      /** Keys of all hooks in the database. */
      known: z.array(z.string()),
      /** At most one per hook. */
      due: z.array(delivery()),
      nextAt: z.string().nullable(),
    }),
  run: async ({ db, now }, { hooks }) => {
    const due: Delivery[] = []
    for (const hook of hooks) {
      const row = await selectDueDelivery(db, hook, now)
      if (row)
        due.push({
          id: row.id,
          hook,
          taskId: row.task_id,
          worktree: row.worktree,
          payload: row.payload,
          tries: row.tries,
        })
    }
    return { known: (await selectHooks(db)).map(({ key }) => key), due, nextAt: await selectNextDelivery(db, hooks) }
  },
})
