import { existsSync } from 'node:fs'
import type * as timers from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { runPath } from '../../../src/effects/files/paths.ts'
import type * as shims from '../../../src/effects/processes/shim.ts'
import { isVoid } from '../../../src/effects/processes/shim.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { connectionOf } from '../../support/store.ts'
import { openSwarm, until } from '../swarm.ts'

const slow = vi.hoisted(() => ({ seconds: 0 }))

// A machine that starts programs late.
vi.mock('../../../src/effects/processes/shim.ts', async (original) => {
  const real = await original<typeof shims>()
  return {
    ...real,
    get shim() {
      return `/bin/sleep ${slow.seconds}\n${real.shim}`
    },
  }
})

// The launcher looks ten times as often, so that it waits for a tenth of the time.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof timers>()
  return { ...real, setTimeout: (ms: number) => real.setTimeout(ms === 10 ? 1 : ms) }
})

describe('a machine on which a program starts late', () => {
  it('has the run begin once, without a lost attempt', async () => {
    slow.seconds = 1
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'echo begun; sleep 60' })
    const wanted = await swarm.run(await swarm.dispatched())
    await launch(swarm.world, wanted)
    expect((await swarm.run(wanted.agentId)).process).toBe('started')
    expect(await swarm.show(id)).toMatchObject({ status: 'in_progress', attempt: 1 })
  })

  it('has no process of a run that has ended meanwhile, as those of a lost host', async () => {
    slow.seconds = 1
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 600' })
    const wanted = await swarm.run(await swarm.dispatched())
    const launched = launch(swarm.world, wanted)
    const begun = runPath(swarm.root, wanted.agentId, wanted.run, 'start')
    await until('the start', () => existsSync(begun))
    connectionOf(swarm.core.store)
      .prepare("UPDATE agents SET status = 'terminated', process = 'ended', ended_at = ? WHERE id = ?")
      .run('2026-01-01T00:00:00.000Z', wanted.agentId)
    await launched
    await until('the end of what was started', () => processesMarked({ AISWARM_ROOT: swarm.root }).length === 0)
  })

  it('has no process of a run that begins after its task was given back', async () => {
    slow.seconds = 600
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'sleep 600' })
    const wanted = await swarm.run(await swarm.dispatched())
    await launch(swarm.world, wanted)
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'not_started' }],
    })
    expect(isVoid(runPath(swarm.root, wanted.agentId, wanted.run, 'pid'))).toBe(true)
    await until('the end of what was started', () => processesMarked({ AISWARM_ROOT: swarm.root }).length === 0)
  })
})
