import { z } from 'zod'
import { selectHeldLeases, takeLease } from '../../db/leases.ts'
import { beyond, mostOf } from '../../domain/rules/capacity.ts'
import { operation } from '../perform/operation.ts'

/** The role of each console of a board on a server, with a number. */
const roleOf = (n: number): string => `console:${n}`

const QUIT = "Quit one that is not used, or use the commands ('aiswarm help')."

export const enterConsole = operation({
  name: 'enter_console',
  summary: 'Take a place for a console of this board, or refuse if there is none',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ holder: z.string(), pid: z.int(), ttl: z.int().min(1) }),
  output: () => z.object({ role: z.string() }),
  run: async ({ db, now, tick }, { holder, pid, ttl }) => {
    const held = new Set((await selectHeldLeases(db, now)).map(({ name }) => name))
    const roles = Array.from({ length: mostOf.consoles }, (_, n) => roleOf(n + 1))
    for (const role of roles.filter((one) => !held.has(one)))
      if ((await takeLease(db, { name: role, holder, holder_pid: pid, now, tick, ttl })).granted) return { role }
    throw beyond(mostOf.consoles, mostOf.consoles, 'consoles open on this board', QUIT)
  },
})
