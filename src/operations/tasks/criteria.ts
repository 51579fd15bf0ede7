import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { markCriteria, selectCriteria } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { once } from '../../domain/words/once.ts'
import { text } from '../perform/schemas.ts'

/** The acceptance criteria that the caller reports as met; nothing else marks one as met. */
export const criteriaMet = once(() => z.array(text(10_000)).max(1000).optional().describe('Criteria that are met'))

/** Marks criteria of a task as met, by their text or number; refuses names without a criterion. */
export const markMet = async (db: Db, taskId: number, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return
  const criteria = await textsOf(db, taskId)
  const unknown = names.find((name) => named(criteria, name) === undefined)
  if (unknown !== undefined) {
    const known = criteria.map((one, n) => `${n + 1}. ${one}`).join(' ')
    throw new Refusal(
      'invalid_input',
      `Task ${taskId} has no acceptance criterion '${unknown.slice(0, 200)}'; ${known === '' ? 'it has none.' : `it has: ${known.slice(0, 2000)}`}`,
    )
  }
  await mark(db, taskId, criteria, names)
}

/** As `markMet`, but leaves out names without a criterion. */
export const markKnown = async (db: Db, taskId: number, names: readonly string[]): Promise<void> =>
  names.length === 0 ? undefined : mark(db, taskId, await textsOf(db, taskId), names)

const textsOf = async (db: Db, taskId: number): Promise<readonly string[]> =>
  (await selectCriteria(db, [taskId])).map((row) => row.text)

const named = (criteria: readonly string[], name: string): string | undefined =>
  criteria.includes(name) ? name : /^[1-9]\d{0,3}$/.test(name) ? criteria[Number(name) - 1] : undefined

const mark = async (db: Db, taskId: number, criteria: readonly string[], names: readonly string[]): Promise<void> => {
  const met = names.flatMap((name) => named(criteria, name) ?? []).map((text) => ({ text, met: true }))
  if (met.length > 0) await markCriteria(db, taskId, met)
}
