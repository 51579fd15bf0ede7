import { describe, expect, it } from 'vitest'
import type { ProcessObservation, WorktreeObservation } from '../../../src/contracts/observations.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { sightJobsOf, sightsElsewhere } from '../../../src/effects/hosts/observations.ts'
import type { Sights, World } from '../../../src/effects/world.ts'
import { readWatching, recordSight } from '../../../src/operations/hosts/observations.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { B, twoHosts } from '../../support/board-of-hosts.ts'
import { minute, openCore } from '../../support/core.ts'

const process: ProcessObservation = { agentId: 'ada', cpu: 42, memory: 1024, processes: 3 }
const worktree: WorktreeObservation = { name: 'w', ahead: 2, behind: 1, dirty: 3, added: 10, removed: 4 }
const nothing = { observeProcesses: () => Promise.resolve([]), observeWorktrees: () => Promise.resolve([]) }

const fleet = async () => {
  const { world, cores } = await twoHosts()
  let seen = { processes: [process], worktrees: [worktree] }
  const sights = () =>
    Promise.resolve({
      observeProcesses: () => Promise.resolve(seen.processes),
      observeWorktrees: () => Promise.resolve(seen.worktrees),
    } as unknown as Sights)
  const on = (host: string): World =>
    ({ core: cores[host]!, actor: system(), holder: `of ${host}`, sights }) as unknown as World
  const jobs = sightJobsOf(on(B))
  let now = 0
  return {
    ...{ world, cores, on },
    sees: (changes: Partial<typeof seen>) => void (seen = { ...seen, ...changes }),
    /** A turn of the loops of host B, three seconds later. */
    turn: async () => {
      for (const job of jobs((now += 3000))) await job.run()
    },
  }
}

describe('the sights of a host', () => {
  it('are shown on every other host, and not on its own', async () => {
    const { on, turn } = await fleet()
    await turn()
    const first = sightsElsewhere(on(LOCAL), nothing)
    expect(await first.observeProcesses()).toEqual([process])
    expect(await first.observeWorktrees()).toEqual([worktree])
    expect(await first.observeWorktrees(['other'])).toEqual([])
    expect(await sightsElsewhere(on(B), nothing).observeProcesses()).toEqual([])
  })

  it('are not shown when they are old, as those of a silent host', async () => {
    const { world, on, turn } = await fleet()
    await turn()
    world.pass(2 * minute)
    expect(await sightsElsewhere(on(LOCAL), nothing).observeProcesses()).toEqual([])
  })

  it('are recorded seldom while no console shows other hosts, and soon when one does', async () => {
    const { on, turn, sees } = await fleet()
    await turn()
    const busier = { ...process, cpu: 99 }
    sees({ processes: [busier] })
    await turn()
    // Asking is watching.
    expect(await sightsElsewhere(on(LOCAL), nothing).observeProcesses()).toEqual([process])
    expect(await perform(on(B).core, readWatching, {}, system())).toEqual({ several: true, watching: true })
    await turn()
    expect(await sightsElsewhere(on(LOCAL), nothing).observeProcesses()).toEqual([busier])
  })

  it('of a newer aiswarm that are not understood are left out', async () => {
    const { on, cores } = await fleet()
    for (const content of ['no JSON', '[{"agent": 1}]', '{}'])
      await perform(cores[B]!, recordSight, { subject: 'processes', content }, system())
    expect(await sightsElsewhere(on(LOCAL), nothing).observeProcesses()).toEqual([])
  })

  it('cost a board with one host no write', async () => {
    const { core } = await openCore()
    const world = { core: { ...core, host: LOCAL }, actor: system(), holder: 'a' } as unknown as World
    const before = core.store.version()
    expect(await sightsElsewhere(world, nothing).observeWorktrees()).toEqual([])
    expect(core.store.version()).toBe(before)
    expect(await perform(core, readWatching, {}, system())).toEqual({ several: false, watching: false })
  })
})
