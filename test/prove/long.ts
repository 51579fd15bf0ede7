import { longFiles } from '../long-tests.ts'
import { suites } from './every.ts'
import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

export const long: Proof = {
  name: 'long',
  shows:
    'The tests that `npm test` leaves out because they take most of its time: torture, matrices, hostile screens, and the longer stories.',
  run: (share) => {
    // All of `every` and `kills` includes the larger dose of some of them.
    const elsewhere = share.divisor === 1 ? [...suites(), 'test/stories/kill-loop.test.ts'] : []
    const files = share.some(longFiles().filter((file) => !elsewhere.includes(file)))
    const { counts, violations } = figuresOfTests(files)
    return Promise.resolve({ counts: { files: files.length, ...counts }, violations })
  },
}
