import { Refusal } from '../../domain/rules/refusal.ts'
import type { Outside } from '../../contracts/outside.ts'
import { perform } from '../../operations/door/perform.ts'
import { readElsewhere } from '../../operations/hosts/read-elsewhere.ts'
import { getWorktreeStatus } from '../../operations/worktrees/get-worktree-status.ts'
import { isHome } from '../../operations/door/core.ts'
import { remoteOf } from '../remote/tips.ts'
import type { World } from '../world.ts'

/**
 * The outside of a board with several hosts: asks this host's disk and processes about what is here, and says plainly where
 * the rest is. On a board with one host, it is the outside of that host.
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
  const reads = readsOf(here, needHere, async (agentId) => (await elsewhere({ agentId })).agent)
  return { ...here, ...reads, ...reviewsOf(world, here, needHere) }
}

type NeedHere = (worktree: string, what: string) => Promise<void>

type Reads = Pick<
  Outside,
  'census' | 'presentWorktree' | 'worktreeContents' | 'inspectAgent' | 'readOutput' | 'readRawOutput'
>

const readsOf = (
  here: Outside,
  needHere: NeedHere,
  hostOfAgent: (agentId: string) => Promise<string | null>,
): Reads => {
  const needAgentHere = async (agentId: string): Promise<void> => {
    const host = await hostOfAgent(agentId)
    if (host !== null) throw new Refusal('invalid_state', `Agent ${agentId} runs on host ${host}. Inspect it there.`)
  }
  const output = async (
    agentId: string,
    from: Parameters<Outside['readOutput']>[1],
    read: () => ReturnType<Outside['readOutput']>,
  ) => {
    const host = await hostOfAgent(agentId)
    if (host === null) return read()
    const text = `The output of ${agentId} is on host ${host}.\n`
    // A follower that has read it continues after it.
    return { text: 'offset' in from ? text.slice(from.offset) : text, next: text.length, size: text.length }
  }
  return {
    census: async (name) => (await needHere(name, 'List its content'), here.census(name)),
    presentWorktree: async (name) => (await needHere(name, 'Show its changes'), here.presentWorktree(name)),
    worktreeContents: async (name) => (await needHere(name, 'List its content'), here.worktreeContents(name)),
    inspectAgent: async (agentId) => (await needAgentHere(agentId), here.inspectAgent(agentId)),
    readOutput: (agentId, from) => output(agentId, from, () => here.readOutput(agentId, from)),
    readRawOutput: (agentId, from) => output(agentId, from, () => here.readRawOutput(agentId, from)),
  }
}

/** The commits of any worktree are on the remote; the log of a verification is on the first host, its end on the board. */
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
    const [worktree] = await perform(world.core, getWorktreeStatus, { worktreeName: name }, world.actor)
    const text = worktree?.integration?.verification?.tail ?? ''
    return { text, next: text.length, size: text.length }
  },
})
