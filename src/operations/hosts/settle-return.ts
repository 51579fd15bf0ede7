import { z } from 'zod'
import { settleReturns } from '../../db/hosts.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../perform/operation.ts'
import { findHost } from './steps/find-host.ts'

export const settleReturn = operation({
  name: 'settle_return',
  summary: 'Record that a person has seen what a host had when it came back; its worktrees stay as they are',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ host: z.string().min(1) }),
  output: () => z.object({ name: z.string() }),
  run: async ({ db, now }, { host: named }) => {
    const { id, name } = await findHost(db, named)
    if (!(await settleReturns(db, id, now)))
      throw new Refusal('invalid_state', `Nothing of host ${name} waits for a person.`)
    return { name }
  },
  subject: ({ name }) => ({ details: { host: name } }),
})
