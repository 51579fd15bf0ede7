import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

const root = resolve(import.meta.dirname, '../..')

/** Suites that try a part each day, and what makes them try all of it. Part of them a day, but each whole. */
const suites = (): readonly string[] => [
  ...readdirSync(join(root, 'test/matrix'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/matrix/${name}`),
  'test/effects/archive-crash.test.ts',
  'test/effects/archive-property.test.ts',
  'test/effects/integration/crash.test.ts',
  'test/operations/race.test.ts',
  'test/stories/kill-loop.test.ts',
  'test/ui/safety/fields.test.ts',
  'test/ui/truth.test.ts',
]

const everything = { EVERY: '1', RUNS: '40', TRUTH_STEPS: '200' }

export const every: Proof = {
  name: 'every',
  shows: 'Every shape of a repository under every operation, a kill before every step of archive, restore and landing, and longer random histories.',
  run: (share) => {
    const files = share.some(suites())
    const { counts, violations } = figuresOfTests(files, everything)
    return Promise.resolve({ counts: { suites: files.length, ...counts }, violations })
  },
}
