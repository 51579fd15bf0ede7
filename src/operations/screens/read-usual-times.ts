import { z } from 'zod'
import { selectCompletedAttempts } from '../../db/attempts.ts'
import { usualKey, usualTime } from '../../domain/task/status.ts'
import { elapsed } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'

/** The latest completed attempts that are looked at, of all personas together. */
const ATTEMPTS_LOOKED_BACK = 500

export const readUsualTimes = operation({
  name: 'read_usual_times',
  summary: 'Read how long (ms) attempts of each persona usually take, for those with enough completed attempts',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.record(z.string(), z.number()),
  run: async ({ db }) => {
    const durations = new Map<string, number[]>()
    for (const row of await selectCompletedAttempts(db, ATTEMPTS_LOOKED_BACK)) {
      const key = usualKey({ personaId: row.persona_id, isCommand: row.command !== null })
      durations.set(key, [...(durations.get(key) ?? []), elapsed(row.started_at, row.ended_at)])
    }
    return Object.fromEntries(
      [...durations].flatMap(([key, found]) => {
        const usual = usualTime(found)
        return usual === undefined ? [] : [[key, usual]]
      }),
    )
  },
})
