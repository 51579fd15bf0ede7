import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

const root = resolve(import.meta.dirname, '../..')

/**
 * The import of files that run a part of themselves per day (`test/support/dose.ts`); the files of the matrix import
 * it through `matrix.ts`.
 */
const PART_OF_THE_DAY = /from '[./]+\/(?:support\/dose|matrix|safety\/views|views)\.ts'/

/** Suites that run a smaller dose in `npm test`. A part of the files per day, each completely. */
export const suites = (): readonly string[] => [
  ...readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => join('test', path))
    // The proof `kills` runs it with many more kills.
    .filter((path) => path !== 'test/stories/kill-loop.test.ts')
    .filter((path) => PART_OF_THE_DAY.test(readFileSync(join(root, path), 'utf8')))
    .sort(),
  'test/effects/archive/archive-property.test.ts',
  'test/ui/truth.test.ts',
]

const everything = { EVERY: '1', RUNS: '40', TRUTH_STEPS: '200' }

export const every: Proof = {
  name: 'every',
  shows:
    'Every shape of a repository under every operation, a kill before every step of archive, restore and landing, and longer random histories.',
  run: (share) => {
    const files = share.some(suites())
    const { counts, violations } = figuresOfTests(files, everything)
    return Promise.resolve({ counts: { suites: files.length, ...counts }, violations })
  },
}
