import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { outputPath, runPath } from '../../../src/effects/files/paths.ts'
import { endGroup } from '../../../src/effects/processes/signals.ts'
import { identify, livenessOf } from '../../../src/effects/processes/identity.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { stop } from '../../../src/effects/runs/termination.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { openSwarm, type Swarm, until } from '../swarm.ts'
import { needs } from '../../support/needs.ts'
import { connectionOf } from '../../support/store.ts'

const config = 'lease:\n  terminateGrace: 300ms\n'

/** Starts a command and waits for its first line; returns its run and that line. */
const started = async (swarm: Swarm, command: string) => {
  const { id } = await swarm.task({ command })
  const run = await swarm.begin()
  const line = await until(
    'its first line',
    () => readFileSync(outputPath(swarm.root, run.agentId), 'utf8').split('\n').slice(0, -1)[0],
  )
  return { id, run, line }
}

const terminate = (swarm: Swarm, agentId: string) =>
  act(swarm.connection, terminateAgent, { agentId, reason: 'enough' })

const left = (swarm: Swarm): readonly number[] => processesMarked({ AISWARM_ROOT: swarm.root })

describe('an agent that is stopped', () => {
  it('receives TERM and may end in order, and its task is released', async () => {
    const swarm = await openSwarm()
    const { id, run } = await started(swarm, "trap 'echo bye; exit 7' TERM; echo ready; sleep 60 & wait")
    expect(await terminate(swarm, run.agentId)).toMatchObject({
      status: 'terminated',
      exitCode: 7,
      stopReason: 'enough',
    })
    expect(readFileSync(outputPath(swarm.root, run.agentId), 'utf8')).toBe('ready\nbye\n')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'terminated' }],
    })
    expect(left(swarm)).toEqual([])
  })

  it('is killed with all its children if it ignores TERM', async () => {
    const swarm = await openSwarm({ config })
    const { run } = await started(swarm, "trap '' TERM; sleep 60 & echo ready; while :; do sleep 60; done")
    expect(left(swarm).length).toBeGreaterThan(2)
    expect(await terminate(swarm, run.agentId)).toMatchObject({ status: 'terminated', exitCode: null })
    expect(livenessOf(run.identity!)).toBe('dead')
    await until('the end of all', () => left(swarm).length === 0)
  })

  it('loses also a descendant that left its session', async () => {
    const swarm = await openSwarm({ config })
    const { run, line } = await started(swarm, `setsid sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 60; done'`)
    const escaped = identify(Number(line))!
    await terminate(swarm, run.agentId)
    await until('its end', () => livenessOf(escaped) === 'dead')
    await until('the end of all', () => left(swarm).length === 0)
  })

  it("does not cause the end of another agent's process, or of one with a reused process id", async () => {
    const swarm = await openSwarm({ config })
    const one = await started(swarm, 'echo ready; sleep 60')
    await swarm.build('auth')
    await swarm.task({ command: 'echo ready; sleep 60', targetWorktree: 'auth' })
    const other = await swarm.begin()
    await terminate(swarm, one.run.agentId)
    expect(livenessOf(other.identity!)).toBe('alive')
    expect(await endGroup({ ...other.identity!, startedAt: '1' }, 0)).toBe(true)
    expect(livenessOf(other.identity!)).toBe('alive')
  })
})

describe('a requested run', () => {
  it('that never started can be stopped, and then never starts', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'echo started' })
    const wanted = await swarm.run(await swarm.dispatched())
    expect(await terminate(swarm, wanted.agentId)).toMatchObject({ status: 'terminated' })
    await launch(swarm.world, wanted)
    expect(
      existsSync(outputPath(swarm.root, wanted.agentId))
        ? readFileSync(outputPath(swarm.root, wanted.agentId), 'utf8')
        : '',
    ).toBe('')
    expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(left(swarm)).toEqual([])
  })

  it('that was cancelled by a crashed process is stopped by the next one', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'echo started' })
    const wanted = await swarm.run(await swarm.dispatched())
    await perform(swarm.core, terminateAgent, { agentId: wanted.agentId }, person)
    expect(await stop(swarm.world, wanted)).toBe(true)
    connectionOf(swarm.core.store).exec(
      "UPDATE agents SET status = 'idle', process = 'wanted', ended_at = NULL WHERE kind = 'command'",
    )
    expect(await stop(swarm.world, await swarm.run(wanted.agentId))).toBe(true)
    expect(await swarm.agent(wanted.agentId)).toMatchObject({ status: 'terminated' })
  })

  it('that runs without being recorded is found and ended', async () => {
    const swarm = await openSwarm({ config })
    const { run } = await started(swarm, 'echo ready; sleep 60')
    connectionOf(swarm.core.store).exec(
      "UPDATE agents SET process = 'wanted', process_id = NULL, process_started_at = NULL, boot_id = NULL WHERE kind = 'command'",
    )
    await terminate(swarm, run.agentId)
    expect(livenessOf(run.identity!)).toBe('dead')
  })

  // The machine was restarted before the run was recorded, and its process id was reused.
  it('whose process id was reused never affects the other process', async (context) => {
    needs(context, process.platform === 'linux', 'only Linux tells the environment of a process')
    const swarm = await openSwarm({ config })
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void other.kill('SIGKILL'))
    const before = async (status: 'wanted' | 'started') => {
      const { run } = await started(swarm, 'echo ready; sleep 60')
      await endGroup(run.identity!, 0)
      connectionOf(swarm.core.store).exec(
        `UPDATE agents SET process = 'wanted', process_id = NULL, process_started_at = NULL, boot_id = NULL WHERE id = '${run.agentId}'`,
      )
      writeFileSync(runPath(swarm.root, run.agentId, run.run, 'pid'), `${other.pid}\n`)
      if (status === 'started') await launch(swarm.world, await swarm.run(run.agentId))
      return run.agentId
    }
    for (const status of ['wanted', 'started'] as const) {
      const agentId = await before(status)
      if (status === 'started') expect(livenessOf((await swarm.run(agentId)).identity!)).toBe('dead')
      await terminate(swarm, agentId)
      expect(identify(other.pid!)).toBeDefined()
    }
    expect(other.exitCode ?? other.signalCode).toBe(null)
  })
})
