import type { Conversations, Spot, TalkPiece, TalkRun } from '../../contracts/conversation.ts'
import type { readElsewhere } from '../../operations/hosts/locations.ts'
import type { World } from '../world.ts'
import { askHost } from './ask-host.ts'

type AgentElsewhere = (about: { agentId?: string }) => Promise<Awaited<ReturnType<(typeof readElsewhere)['run']>>>

/** How often the output of another host is looked at while a person reads a conversation (ms). */
const LOOK_AT_OUTPUT = 1000

/**
 * Conversations with agents of any host. The host of the last run is asked: the output of earlier ones that ran on another
 * host is not shown.
 */
export const conversationsElsewhere = (world: World, here: Conversations, elsewhere: AgentElsewhere): Conversations => {
  /** An agent stays on its host. */
  const known = new Map<string, Promise<string | null>>()
  const hostOf = async (runs: readonly TalkRun[]): Promise<string | null> => {
    const agentId = runs.at(-1)?.agentId
    if (agentId === undefined) return null
    const asked = known.get(agentId) ?? elsewhere({ agentId }).then(({ agent }) => agent)
    known.set(agentId, asked)
    return asked.catch((error: unknown) => {
      known.delete(agentId)
      throw error
    })
  }
  // A question is a write, which wakes this console to ask again: the same question has the same answer for a moment.
  let last: { readonly question: string; readonly at: number; readonly piece: Promise<TalkPiece> } | undefined
  return {
    read: async (runs, messages, from, direction) => {
      const host = await hostOf(runs)
      if (host === null) return here.read(runs, messages, from, direction)
      const question = JSON.stringify([runs, messages, from, direction])
      if (last?.question !== question || performance.now() - last.at > LOOK_AT_OUTPUT)
        last = {
          question,
          at: performance.now(),
          piece: askHost<TalkPiece>(world, host, 'read_conversation', { runs, messages, from, direction }),
        }
      return last.piece
    },
    find: async (runs, from, direction, words, signal) => {
      const host = await hostOf(runs)
      if (host === null) return here.find(runs, from, direction, words, signal)
      const found = await askHost<Spot | null>(world, host, 'find_in_conversation', { runs, from, direction, words })
      return signal.aborted ? undefined : (found ?? undefined)
    },
    watch: (agentId, grown) => {
      const timer = setInterval(grown, LOOK_AT_OUTPUT)
      const end = here.watch(agentId, grown)
      return () => {
        clearInterval(timer)
        end()
      }
    },
  }
}
