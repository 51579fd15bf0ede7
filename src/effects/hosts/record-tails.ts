import { perform } from '../../operations/perform/perform.ts'
import { recordRunTail } from '../../operations/hosts/calls.ts'
import type { readWishes } from '../../operations/supervision/wishes.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'

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
