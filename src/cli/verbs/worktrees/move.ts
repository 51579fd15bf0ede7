import { Refusal } from '../../../domain/rules/refusal.ts'
import { act, perform } from '../../../operations/door/perform.ts'
import { readMove, requestMove } from '../../../operations/worktrees/move-worktree.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { GLANCE, patiently } from '../../call/follow.ts'

/** How long the host of the worktree may take before the command returns (ms). */
const PATIENCE = 60_000

/** Asks for the move, and waits until the host of the worktree has pushed it and the other one has built it. */
export const move = async (call: Call, { name, host }: { name: string; host: string }): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const asked = await act(connection, requestMove, { worktreeName: name, host })
  const until = performance.now() + PATIENCE
  const look = patiently(call)
  let successor: string | null = null
  for (;;) {
    const found = await look(() => perform(core, readMove, { worktreeName: name }, actor))
    if (found && found.problem !== null) throw new Refusal('invalid_state', found.problem)
    successor = found?.successor ?? successor
    if (found?.isWaiting === false)
      return {
        json: { ...asked, successor },
        text: `Worktree ${successor} continues ${name} on host ${asked.to}. The old folder on host ${asked.from} is archived.`,
      }
    if (performance.now() > until || call.streams.signal?.aborted)
      return {
        json: { ...asked, successor },
        text: !found
          ? `The board does not answer, so it is not known how far the move of ${name} to host ${asked.to} is. The hosts finish it once they reach the board.`
          : successor === null
            ? `Host ${asked.from} has not pushed ${name} yet; it is moved to host ${asked.to} when it has.`
            : `Host ${asked.to} has not built ${successor} yet; ${name} is archived when it has, and stays if it cannot.`,
      }
    await call.services.nextChange(connection, GLANCE)
  }
}
