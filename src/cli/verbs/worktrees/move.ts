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
  if (asked.stays) return { json: asked, text: `Worktree ${name} stays on host ${asked.from}; its move was undone.` }
  const until = performance.now() + PATIENCE
  const look = patiently(call)
  let { successor, to } = asked
  for (;;) {
    const found = await look(() => perform(core, readMove, { worktreeName: name }, actor))
    if (found && found.problem !== null) throw new Refusal('invalid_state', found.problem)
    successor = found?.successor ?? successor
    to = found?.to ?? to
    if (found?.isWaiting === false) {
      if (found.successor === null)
        throw new Refusal('invalid_state', `The move of worktree ${name} was undone. It stays on host ${asked.from}.`)
      return {
        json: { ...asked, successor, to },
        text: `Worktree ${successor} continues ${name} on host ${to}. The old folder on host ${asked.from} is archived.`,
      }
    }
    if (performance.now() > until || call.streams.signal?.aborted)
      return {
        json: { ...asked, successor, to },
        text: !found
          ? `The board does not answer, so it is not known how far the move of ${name} to host ${to} is. The hosts finish it once they reach the board.`
          : successor === null
            ? `Host ${asked.from} has not pushed ${name} yet; it is moved to host ${to} when it has. ${undo(name, asked.from)}`
            : `Host ${to} has not built ${successor} yet; ${name} is archived when it has, and stays if it cannot. ${undo(name, asked.from)}`,
      }
    await call.services.nextChange(connection, GLANCE)
  }
}

const undo = (name: string, from: string): string => `'aiswarm worktree move ${name} --host ${from}' undoes the move.`
