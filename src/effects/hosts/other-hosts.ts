import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversations, Spot, TalkPiece, TalkRun } from '../../contracts/conversation.ts'
import type { OutputPiece } from '../../contracts/observations.ts'
import type { Outside } from '../../contracts/outside.ts'
import { type HostVerb, LOCAL } from '../../domain/host/host.ts'
import { isAway, isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { clockTime } from '../../domain/words/time.ts'
import { indexDiff } from '../../domain/words/unified-diff.ts'
import {
  askHost as ask,
  CALL_PATIENCE,
  endHostCall,
  readHostAnswer,
  readRunTail,
} from '../../operations/hosts/calls.ts'
import { readElsewhere } from '../../operations/hosts/locations.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'
import { sightsElsewhere, unpackReview } from './observations.ts'

/**
 * The outside of a board with several hosts: asks this host's disk and processes about what is here, and the other hosts
 * about the rest. On a board with one host, it is the outside of that host.
 */
export const withOtherHosts = (world: World, here: Outside): Outside => {
  const { core, actor } = world
  if (core.host === undefined) return here
  const elsewhere = (about: { worktree?: string; agentId?: string }) => perform(core, readElsewhere, about, actor)
  const needHere = async (worktree: string, what: string): Promise<void> => {
    const host = (await elsewhere({ worktree })).worktrees[worktree]
    if (host !== undefined)
      throw new Refusal('invalid_state', `Worktree ${worktree} is on host ${host}. ${what} there.`)
  }
  return {
    ...here,
    ...readsOf(world, here, elsewhere),
    ...sightsElsewhere(world, here),
    ...reviewsOf(world, here, needHere),
    ...presentOf(world, here, elsewhere),
    conversations: conversationsElsewhere(world, here.conversations, elsewhere),
  }
}

type NeedHere = (worktree: string, what: string) => Promise<void>

type Elsewhere = (about: {
  worktree?: string
  agentId?: string
}) => Promise<Awaited<ReturnType<(typeof readElsewhere)['run']>>>

type Reads = Pick<Outside, 'census' | 'worktreeContents' | 'inspectAgent' | 'readOutput' | 'readRawOutput'>

/** Asks the host where the agent or the worktree is; of one that cannot be asked, the last of an agent's output is on the board. */
const readsOf = (world: World, here: Outside, elsewhere: Elsewhere): Reads => {
  const ofAgent = async <T>(agentId: string, read: () => Promise<T>, verb: HostVerb): Promise<T> => {
    const host = (await elsewhere({ agentId })).agent
    return host === null ? read() : askHost<T>(world, host, verb, { agentId })
  }
  const ofWorktree = async <T>(worktree: string, read: () => Promise<T>, verb: HostVerb): Promise<T> => {
    const host = (await elsewhere({ worktree })).worktrees[worktree]
    return host === undefined ? read() : askHost<T>(world, host, verb, { worktree })
  }
  /** Offsets that belong to what was shown instead of an output: the output itself is read from its beginning then. */
  const replaced = new Map<string, number>()
  const output = async (
    agentId: string,
    from: Parameters<Outside['readOutput']>[1],
    read: () => ReturnType<Outside['readOutput']>,
    verb: HostVerb,
  ): ReturnType<Outside['readOutput']> => {
    const host = (await elsewhere({ agentId })).agent
    if (host === null) return read()
    try {
      const where = 'offset' in from && from.offset === replaced.get(agentId) ? { offset: 0 } : from
      const piece = await askHost<OutputPiece>(world, host, verb, { agentId, from: where })
      replaced.delete(agentId)
      return piece
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'invalid_state') throw error
      // A follower waits where it is until the host can be asked again.
      if ('offset' in from && from.offset > 0) return { text: '', next: from.offset, size: from.offset }
      const piece = await lastOf(world, agentId, error.message)
      replaced.set(agentId, piece.next)
      return piece
    }
  }
  return {
    census: (name) => ofWorktree(name, () => here.census(name), 'census'),
    worktreeContents: (name) => ofWorktree(name, () => here.worktreeContents(name), 'worktree_contents'),
    inspectAgent: (agentId) => ofAgent(agentId, () => here.inspectAgent(agentId), 'inspect_agent'),
    readOutput: (agentId, from) => output(agentId, from, () => here.readOutput(agentId, from), 'read_output'),
    readRawOutput: (agentId, from) => output(agentId, from, () => here.readRawOutput(agentId, from), 'read_raw_output'),
  }
}

/** Uncommitted work is only on the disk of its host. */
const presentOf = (
  world: World,
  here: Outside,
  elsewhere: Elsewhere,
): Pick<Outside, 'presentWorktree' | 'readReviewFile'> => {
  const hostOf = async (worktree: string) => (await elsewhere({ worktree })).worktrees[worktree]
  return {
    presentWorktree: async (name) => {
      const host = await hostOf(name)
      if (host === undefined) return here.presentWorktree(name)
      return unpackReview(await askHost(world, host, 'present_worktree', { worktree: name }))
    },
    readReviewFile: async (review, file) => {
      const host = review.isPresent ? await hostOf(review.worktree) : undefined
      if (host === undefined) return here.readReviewFile(review, file)
      const about = { worktree: review.worktree, to: review.to, path: file.path }
      return indexDiff(await askHost(world, host, 'present_file', about))
    },
  }
}

/** The end of an agent's output as its host recorded it last, after a line that says why there is no more. */
const lastOf = async ({ core, actor }: World, agentId: string, why: string): Promise<OutputPiece> => {
  const tail = await perform(core, readRunTail, { agentId }, actor)
  const text = `${why}${tail === null ? '' : ` Its last output, of ${clockTime(tail.writtenAt)}:\n${tail.content.replace(/\n?$/, '')}`}\n`
  const size = Buffer.byteLength(text)
  return { text, next: size, size }
}

/** The commits of any worktree are on the remote; the log of a verification is on the first host, and its end on the board. */
const reviewsOf = (
  world: World,
  here: Outside,
  needHere: NeedHere,
): Pick<Outside, 'reviewWorktree' | 'readVerification'> => ({
  reviewWorktree: async (name) => {
    if ((await remoteOf(world)) === undefined) await needHere(name, 'Review it')
    return here.reviewWorktree(name)
  },
  readVerification: async (name) => {
    if (isHome(world.core)) return here.readVerification(name)
    try {
      return await askHost(world, LOCAL, 'read_verification', { worktree: name })
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'invalid_state') throw error
      const [worktree] = await perform(world.core, getWorktreeStatus, { worktreeName: name }, world.actor)
      const text = worktree?.integration?.verification?.tail ?? ''
      return { text, next: text.length, size: text.length }
    }
  },
})

type AgentElsewhere = (about: { agentId?: string }) => Promise<Awaited<ReturnType<(typeof readElsewhere)['run']>>>

/** How often the output of another host is looked at while a person reads a conversation (ms). */
const LOOK_AT_OUTPUT = 1000

/**
 * Conversations with agents of any host. The host of the last run is asked: the output of earlier ones that ran on another
 * host is not shown.
 */
const conversationsElsewhere = (world: World, here: Conversations, elsewhere: AgentElsewhere): Conversations => {
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

/** How often the answer is looked for (ms). */
const LOOK_FOR_ANSWER = 50

/** Asks another host, through the board, which is the one place that all of them reach. */
const askHost = async <T>(
  { core, actor }: Pick<World, 'core' | 'actor'>,
  host: string,
  verb: HostVerb,
  input: object,
): Promise<T> => {
  const { callId } = await perform(core, ask, { host, verb, input: JSON.stringify(input) }, actor)
  try {
    for (const until = performance.now() + CALL_PATIENCE; performance.now() < until; await sleep(LOOK_FOR_ANSWER)) {
      const { answer, problem } = await answerNow({ core, actor }, callId)
      if (answer !== null) return JSON.parse(answer) as T
      if (problem !== null) throw new Refusal('invalid_state', `Host ${host} cannot tell: ${problem}`)
    }
  } finally {
    await perform(core, endHostCall, { callId }, actor).catch((error: unknown) => {
      // It ends by itself.
      if (!isAway(error)) throw error
    })
  }
  throw new Refusal(
    'invalid_state',
    `Host ${host} has not answered within ${CALL_PATIENCE / 1000} s. Its worker may have just ended; try again.`,
  )
}

/** No answer yet also while the board is away, since the host may give it afterwards. */
const answerNow = async ({ core, actor }: Pick<World, 'core' | 'actor'>, callId: number) => {
  try {
    return await perform(core, readHostAnswer, { callId }, actor)
  } catch (error) {
    if (!isAway(error)) throw error
    return { answer: null, problem: null }
  }
}
