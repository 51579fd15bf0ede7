import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CutOff } from '../../../src/effects/hosts/cut-off.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { statFields } from '../../../src/effects/processes/system.ts'
import type { World } from '../../../src/effects/world.ts'
import type { AgentRun } from '../../../src/operations/loops/read-wishes.ts'
import { settingsWith, temporaryFolder } from '../../support/core.ts'
import { until } from '../swarm.ts'

/** A host with one agent, which is a process of its own session, and what the host has reported. */
const hostWithAgent = (host: string, root = temporaryFolder(), after = { silentAfter: 100, lostAfter: 300 }) => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  const pid = child.pid!
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'))
  const said: string[] = []
  const core = { root, host, settings: settingsWith({ fleet: after }) }
  const world = { core, report: (sentence: string) => said.push(sentence) } as unknown as World
  const open = () => {
    const cutOff = new CutOff(world)
    onTestFinished(() => cutOff.end())
    return cutOff
  }
  const run = { process: 'started', identity: identify(pid)!, pausedAt: null } as unknown as AgentRun
  const state = (): string => statFields(readFileSync(`/proc/${pid}/stat`, 'utf8')).state
  return { root, said, open, run, state, isPaused: () => (state() === 'T' ? true : undefined) }
}

it('a host that is cut off for too long pauses its agents, and continues them when the board answers', async () => {
  const { said, open, run, state, isPaused } = hostWithAgent('b')
  const cutOff = open()
  cutOff.watch([run])
  await until('the pause', isPaused)
  cutOff.heard(performance.now())
  await until('the agent to continue', () => (state() === 'T' ? undefined : true))
  expect(said.map((sentence) => sentence.replace(/for .*?,/, 'for 0s,'))).toEqual([
    'The board has not answered for 0s, and others may declare this host lost: 1 agent paused until it answers.',
    'The board answers again: agents that continue: 1.',
  ])
})

it('a process that succeeds a crashed one continues what that had paused', async () => {
  const { root, open, run, state, isPaused } = hostWithAgent('b')
  const crashed = open()
  crashed.watch([run])
  await until('the pause', isPaused)
  crashed.end()
  open().heard(performance.now())
  await until('the agent to continue', () => (state() === 'T' ? undefined : true))
  expect(existsSync(join(root, '.aiswarm', 'run', 'cut-off.json'))).toBe(false)
})

it('an agent that waits for a person stays paused when the board answers again', async () => {
  const { open, run, state, isPaused } = hostWithAgent('b')
  const held = hostWithAgent('b')
  process.kill(-held.run.identity!.pid, 'SIGSTOP')
  const cutOff = open()
  cutOff.watch([run, { ...held.run, pausedAt: '2026-11-25T14:00:00.000Z' }])
  await until('the pause', isPaused)
  cutOff.heard(performance.now())
  await until('the agent to continue', () => (state() === 'T' ? undefined : true))
  expect(held.isPaused()).toBe(true)
})

it('the first host, which is never lost, pauses nothing', async () => {
  const first = hostWithAgent('local')
  const { open, run, isPaused } = hostWithAgent('b')
  first.open().watch([first.run])
  open().watch([run])
  await until('the pause on the other host', isPaused)
  expect(first.isPaused()).toBe(undefined)
})

it('a host without agents that is cut off pauses nothing, and says nothing', async () => {
  const idle = hostWithAgent('b')
  const { open, run, isPaused } = hostWithAgent('c')
  idle.open()
  open().watch([run])
  await until('the pause on the other host', isPaused)
  expect([idle.said, idle.isPaused()]).toEqual([[], undefined])
})
