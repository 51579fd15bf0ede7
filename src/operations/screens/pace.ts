import { z } from 'zod'
import { selectCompletedAttempts } from '../../db/attempts.ts'
import { countEndings } from '../../db/session-series.ts'
import { ending, spread } from '../../domain/session/plots.ts'
import { spanOf } from '../../domain/session/span.ts'
import { usualKey, usualTime } from '../../domain/task/status.ts'
import { elapsed, later } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'

// How fast attempts end, and how long they usually take.

/** Two hours in buckets of five minutes. */
const LOOKED_BACK = 2 * 3_600_000
const MOST = 25

export const readPace = operation({
  name: 'read_pace',
  summary: 'Read how many attempts were completed and failed in the last two hours, in steps of five minutes',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.object({ step: z.int(), completed: z.array(z.int()), failed: z.array(z.int()) }),
  run: async ({ db, now }) => {
    const span = spanOf(later(now, -LOOKED_BACK), now, MOST)
    const rows = await countEndings(db, span)
    const of = (wanted: string): number[] => [
      ...spread(
        span.buckets,
        rows.filter(({ outcome }) => ending(outcome) === wanted),
      ),
    ]
    return { step: span.step, completed: of('completed'), failed: of('failed') }
  },
})
export type Pace = z.output<typeof readPace.output>

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
