import { figuresOfTests } from './of-tests.ts'
import type { Proof } from './proof.ts'

/** As every day, with far more deaths. */
export const kills: Proof = {
  name: 'kills',
  shows: 'Whatever agent, supervisor or command is killed, nothing acknowledged is lost, nothing is done twice at once, and all comes to an end.',
  run: async (share) => {
    const wanted = share.of(2000)
    const { counts, violations } = figuresOfTests(['test/stories/kill-loop.test.ts'], { KILLS: String(wanted) })
    return { counts: { kills: violations.length === 0 ? wanted : 0, ...counts }, violations }
  },
}
