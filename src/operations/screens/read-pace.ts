import { z } from 'zod'
import { countEndings } from '../../db/session-series.ts'
import { ending, spread } from '../../domain/session/plots.ts'
import { spanOf } from '../../domain/session/span.ts'
import { later } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'

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
