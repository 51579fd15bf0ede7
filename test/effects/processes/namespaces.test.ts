import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { identify } from '../../../src/effects/processes/identity.ts'
import { takeIndexLock } from '../../../src/effects/integration/move.ts'
import { isDeadHolder, newHolder } from '../../../src/effects/lease.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { stop } from '../../../src/effects/runs/termination.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { temporaryFolder, refusal } from '../../support/core.ts'
import { openSwarm, until } from '../swarm.ts'
import { needs } from '../../support/needs.ts'
import { connectionOf } from '../../support/store.ts'

const main = resolve(import.meta.dirname, '../../../dist/main.js')

/**
 * The command that starts a process in a pid namespace of its own, by root or by any user; undefined if the system
 * allows neither.
 */
const unshare = [['-pf'], ['-Urpf']]
  .map((flags) => ['unshare', ...flags, '--mount-proc', '--kill-child'])
  .find(([program, ...words]) => spawnSync(program!, [...words, 'true']).status === 0)

/** The identity of this process for another pid namespace of this boot. */
const elsewhere = () => ({
  ...identify(process.pid)!,
  pid: 2 ** 22 + 1,
  bootId: identify(process.pid)!.bootId.replace(/#.*$/, '#1'),
})

describe('a process of another pid namespace', () => {
  it('keeps the task of an agent in the first namespace', async (context) => {
    needs(context, unshare !== undefined, 'this machine allows no pid namespace')
    const swarm = await openSwarm({ config: 'lease: {heartbeat: 1s}\n' })
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.05; done' })
    const run = await swarm.begin()
    const child = spawn(unshare![0]!, [...unshare!.slice(1), process.execPath, main, 'run', '--root', swarm.root], {
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const leases = new Set<string | null>()
    // After its second look, two seconds after the first, the lease has been renewed a few times.
    await until('its looks', async () => {
      const { attempts, leaseExpiresAt } = await swarm.show(1)
      leases.add(leaseExpiresAt)
      return leases.size > 5 || attempts[0]!.outcome !== null
    })
    expect(await swarm.show(1)).toMatchObject({ status: 'in_progress', attempt: 1, assignedAgentId: run.agentId })
    writeFileSync(swarm.path('done'), '')
    await until('the end', async () => (await swarm.show(1)).status === 'completed')
  })

  it('is known to be gone when its container has restarted, and its task is worked on again', async (context) => {
    needs(context, unshare !== undefined, 'this machine allows no pid namespace')
    const swarm = await openSwarm({ config: 'lease: {heartbeat: 1s}\n' })
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.05; done' })
    const container = () => {
      const words = [...unshare!.slice(1), process.execPath, main, 'run', '--root', swarm.root]
      const child = spawn(unshare![0]!, words, { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    }
    const first = container()
    await until('the agent', async () => (await swarm.show(1)).status === 'in_progress')
    first.kill('SIGKILL')
    container()
    await until('the next attempt', async () => {
      const { attempt, status } = await swarm.show(1)
      return attempt === 2 && status === 'in_progress'
    })
    expect((await swarm.show(1)).attempts[0]).toMatchObject({ attempt: 1, outcome: 'lost' })
    writeFileSync(swarm.path('done'), '')
    await until('the end', async () => (await swarm.show(1)).status === 'completed')
  })

  it('keeps its lease and the lock of a checkout', () => {
    const [, startedAt] = newHolder().split('~')
    const { pid, bootId } = elsewhere()
    expect(isDeadHolder([pid, startedAt, bootId, 'x'].join('~'))).toBe(false)
    expect(isDeadHolder([pid, startedAt, identify(process.pid)!.bootId, 'x'].join('~'))).toBe(true)
    const lock = join(temporaryFolder(), 'index.lock')
    const owned = (owner: unknown) =>
      writeFileSync(
        lock,
        JSON.stringify({ aiswarm: 'is moving this checkout; it finishes or goes back by itself', move: 1, owner }),
      )
    owned(elsewhere())
    expect(takeIndexLock(lock, 1)).toBe('busy')
    // With the same process id as this process.
    owned({ ...elsewhere(), pid: process.pid })
    expect(takeIndexLock(lock, 1)).toBe('busy')
    owned({ ...elsewhere(), bootId: identify(process.pid)!.bootId })
    expect(takeIndexLock(lock, 1)).toBe('abandoned')
    expect(readFileSync(lock, 'utf8')).toContain(`"pid":${process.pid}`)
    rmSync(lock)
  })

  it('is recorded as started even if it was killed before it could record that, and is stopped only after a person says that its host is gone', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.05; done' })
    const id = await swarm.dispatched()
    await launch(swarm.world, await swarm.run(id))
    const { identity, run } = await swarm.run(id)
    const file = swarm.path('.aiswarm/run', `${id}.${run}.start`)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), place: elsewhere().bootId }))
    connectionOf(swarm.core.store)
      .prepare("UPDATE agents SET process = 'wanted', process_id = NULL WHERE id = ?")
      .run(id)
    await launch(swarm.world, await swarm.run(id))
    expect((await swarm.run(id)).identity).toEqual({
      pid: identity!.pid,
      startedAt: 'unknown',
      bootId: elsewhere().bootId,
    })
    await perform(swarm.core, terminateAgent, { agentId: id }, person)
    expect((await refusal(stop(swarm.world, await swarm.run(id)))).message).toContain(
      `'aiswarm agent terminate ${id} --gone'`,
    )
    await perform(swarm.core, terminateAgent, { agentId: id, gone: true }, person)
    expect(await stop(swarm.world, await swarm.run(id))).toBe(true)
    expect(await swarm.agent(id)).toMatchObject({ status: 'terminated' })
  })
})
