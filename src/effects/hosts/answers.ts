import { z } from 'zod'
import { type HostVerb, hostVerbs } from '../../domain/host/host.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { answerHostCall, CALL_PATIENCE, readHostCalls, recordRunTail } from '../../operations/hosts/calls.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes } from '../../operations/supervision/wishes.ts'
import type { Job } from '../job.ts'
import type { Sights, World } from '../world.ts'
import { packReview, presentFile } from './observations.ts'

// The answers of a host to the questions of others, and the end of each output for the time when it is away.

const from = z.union([z.strictObject({ offset: z.int().min(0) }), z.strictObject({ tail: z.int().min(0) })])
const ofAgent = z.strictObject({ agentId: z.string() })
const ofWorktree = z.strictObject({ worktree: z.string() })
const ofOutput = ofAgent.extend({ from })
const ofFile = ofWorktree.extend({ to: z.string(), path: z.string() })
// An agent's id becomes a file name.
const registered = z.string().regex(/^(?!\.)[^/\0]{1,50}$/)
// A question carries rows as its console has them.
const spot = z.object({ run: z.int().min(0), offset: z.int().min(0) })
const runs = z.array(
  z.object({
    agentId: registered,
    run: z.int().min(0),
    kind: z.string(),
    from: z.int().min(0),
    until: z.int().min(0).nullable(),
    endedAt: z.string().nullable(),
  }),
)
const direction = z.enum(['before', 'after'])
const ofConversation = z.object({
  runs,
  messages: z.array(z.object({ id: z.int(), agentId: z.string(), kind: z.enum(['say', 'stop']) })),
  from: z.union([spot, z.enum(['begin', 'end'])]),
  direction,
})
const ofSearch = z.object({ runs, from: spot, direction, words: z.string().max(1000) })

/** The input of each verb is parsed here too: it was written by another host. */
const verbs: Readonly<Record<HostVerb, (sights: Sights, input: unknown) => Promise<unknown>>> = {
  read_output: (sights, input) => {
    const { agentId, from: where } = ofOutput.parse(input)
    return sights.readOutput(agentId, where)
  },
  read_raw_output: (sights, input) => {
    const { agentId, from: where } = ofOutput.parse(input)
    return sights.readRawOutput(agentId, where)
  },
  inspect_agent: (sights, input) => sights.inspectAgent(ofAgent.parse(input).agentId),
  read_verification: (sights, input) => sights.readVerification(ofWorktree.parse(input).worktree),
  census: (sights, input) => sights.census(ofWorktree.parse(input).worktree),
  worktree_contents: (sights, input) => sights.worktreeContents(ofWorktree.parse(input).worktree),
  present_worktree: async (sights, input) => packReview(await sights.presentWorktree(ofWorktree.parse(input).worktree)),
  present_file: async (sights, input) => presentFile(sights, ofFile.parse(input)),
  read_conversation: (sights, input) => {
    const { runs, messages, from: where, direction } = ofConversation.parse(input)
    return sights.conversations.read(runs, messages, where, direction)
  },
  find_in_conversation: async (sights, input) => {
    const { runs, from: where, direction, words } = ofSearch.parse(input)
    const limit = AbortSignal.timeout(CALL_PATIENCE)
    return (await sights.conversations.find(runs, where, direction, words, limit)) ?? null
  },
}

/** The questions of consoles elsewhere as a source of jobs of a host. */
export const callJobsOf = (world: World): (() => Promise<readonly Job[]>) => {
  let seen = -1
  return async () => {
    const { core, actor } = world
    if (core.host === undefined) return []
    const version = core.store.version()
    if (version === seen) return []
    const calls = await perform(core, readHostCalls, {}, actor)
    seen = version
    return calls.map((call) => ({ key: `call ${call.callId}`, run: () => answer({ ...world }, call) }))
  }
}

const answer = async (
  { core, actor, sights }: World,
  { callId, verb, input }: { readonly callId: number; readonly verb: string; readonly input: string },
): Promise<void> => {
  const give = (text: string | null, problem: string | null) =>
    perform(core, answerHostCall, { callId, answer: text, problem }, actor)
  const known = hostVerbs.find((one) => one === verb)
  // A newer aiswarm may ask for more than this one can tell.
  if (known === undefined || sights === undefined) return void (await give(null, `its aiswarm does not know ${verb}`))
  try {
    await give(JSON.stringify(await verbs[known](await sights(), JSON.parse(input))), null)
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal === undefined && !(error instanceof z.ZodError)) throw error
    await give(null, refusal?.message ?? 'the question is not valid')
  }
}

type Wishes = Awaited<ReturnType<(typeof readWishes)['run']>>

/** The part of the output that is recorded, and how often it is looked at (ms). */
const TAIL = 16_384
const LOOK = 20_000

/** The end of the output of each agent of this host, recorded while it works and when it has ended. */
export const tailJobsOf = (world: World): ((wishes: Wishes, now: number) => readonly Job[]) => {
  const sizes = new Map<string, number>()
  let before: readonly string[] = []
  let due = 0
  return ({ runs }, now) => {
    if (world.core.host === undefined || world.sights === undefined) return []
    const working = runs.flatMap(({ agentId, process }) => (process === 'started' ? [agentId] : []))
    // One that has just ended has said its last.
    const ended = before.filter((id) => !working.includes(id))
    before = working
    if (now < due && ended.length === 0) return []
    const asked = now < due ? ended : [...working, ...ended]
    if (now >= due) due = now + LOOK
    return asked.map((agentId) => ({ key: `tail ${agentId}`, run: () => record({ ...world }, agentId, sizes) }))
  }
}

const record = async ({ core, actor, sights }: World, agentId: string, sizes: Map<string, number>): Promise<void> => {
  const { text, size } = await (await sights!()).readOutput(agentId, { tail: TAIL })
  if (sizes.get(agentId) === size || text === '') return
  await perform(core, recordRunTail, { agentId, content: text.slice(-TAIL), size }, actor)
  sizes.set(agentId, size)
}
