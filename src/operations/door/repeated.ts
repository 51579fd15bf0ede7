import { createHash } from 'node:crypto'
import { insertCallResult, selectCallResult } from '../../db/events.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from './core.ts'

/** A call with an id, so that it can be repeated if its answer was lost. */
export interface NamedCall {
  readonly requestId: string
  readonly operation: string
  readonly input: unknown
}

/** The earlier answer to the same call; undefined if it is new. Refuses an id that was used for another call. */
export const resultOf = async (
  { db, actor }: Context,
  call: NamedCall,
): Promise<{ readonly result: unknown } | undefined> => {
  const known = await selectCallResult(db, actor.id, call.requestId)
  if (!known) return undefined
  if (known.operation !== call.operation || known.input_hash !== hashOf(call.input)) {
    throw new Refusal(
      'invalid_input',
      `The requestId '${call.requestId.slice(0, 60)}' was used for another call. Use a new id for every call.`,
    )
  }
  return { result: JSON.parse(known.result) as unknown }
}

export const rememberResult = ({ db, actor, now }: Context, call: NamedCall, result: unknown): Promise<void> =>
  insertCallResult(db, {
    actor: actor.id,
    request_id: call.requestId,
    operation: call.operation,
    input_hash: hashOf(call.input),
    result: JSON.stringify(result),
    at: now,
  })

const hashOf = (input: unknown): string => createHash('sha256').update(JSON.stringify(input)).digest('hex')
