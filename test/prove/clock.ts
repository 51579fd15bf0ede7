import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

export const clock: Proof = {
  name: 'clock',
  shows:
    'Five ways to set the wall clock, against leases, signs of life, silence, roles, questions, retries and writers that wait: none ends early, none lasts longer.',
  run: async () =>
    figuresOfTests(['test/operations/loops/clock.test.ts', 'test/db/waiting.test.ts', 'test/db/leases.test.ts']),
}
