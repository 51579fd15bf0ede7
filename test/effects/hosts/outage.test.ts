import { spawn } from 'node:child_process'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StoreRefusal } from '../../../src/domain/rules/refusal.ts'
import { cutOffOf, whenThere } from '../../../src/effects/hosts/outage.ts'
import { rememberBeat } from '../../../src/effects/hosts/own-host.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { statFields } from '../../../src/effects/processes/table.ts'
import type { World } from '../../../src/effects/world.ts'
import type { AgentRun } from '../../../src/operations/supervision/wishes.ts'
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
    const cutOff = cutOffOf(world)
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

it('a process to which another one of its host gave the agents pauses none of them', async () => {
  const given = hostWithAgent('b')
  const { open, run, isPaused } = hostWithAgent('c')
  const cutOff = given.open()
  cutOff.watch([given.run])
  cutOff.answered(performance.now(), { here: false, pid: 1 })
  open().watch([run])
  await until('the pause on the other host', isPaused)
  await sleep(300)
  expect([given.said, given.isPaused()]).toEqual([[], undefined])
})

describe('a worker that is started while its host is cut off', () => {
  /** A host whose worker knew its agent, and heard of the board for the last time so many ms ago. */
  const leftBy = (ago: number) => {
    const host = hostWithAgent('b')
    const crashed = host.open()
    crashed.watch([host.run])
    crashed.end()
    rememberBeat(host.root, { generation: 1, seq: 1, joinedAt: null })
    const at = new Date(Date.now() - ago)
    utimesSync(join(host.root, '.aiswarm', 'run', 'beat'), at, at)
    return host
  }

  const away = new StoreRefusal('store_unreachable', 'The server does not answer.')
  const wait = (host: ReturnType<typeof leftBy>, open: () => Promise<string>) =>
    whenThere(host.root, open, {
      report: (line) => host.said.push(line),
      signal: AbortSignal.timeout(60_000),
      every: 20,
    })

  it('waits for the board, which it says once, pauses the agents meanwhile, and lets them continue', async () => {
    const host = leftBy(0)
    let answers = false
    const opened = wait(host, () => (answers ? Promise.resolve('open') : Promise.reject(away)))
    await until('the pause', host.isPaused)
    answers = true
    expect(await opened).toBe('open')
    expect(host.said.map((line) => line.replace(/for .*?,/, 'for 0s,'))).toEqual([
      'The server does not answer. The worker waits for it.',
      'The board has not answered for 0s, and others may declare this host lost: 1 agent paused until it answers.',
      'The board answers again.',
    ])
    host.open().heard(performance.now())
    await until('the agent to continue', () => (host.state() === 'T' ? undefined : true))
  })

  it('reckons the time since the last heartbeat, also of an earlier process', async () => {
    const host = leftBy(3_600_000)
    let ended = false
    const opened = wait(host, () => (ended ? Promise.resolve('open') : Promise.reject(away)))
    await until('the pause', host.isPaused)
    ended = true
    await opened
    expect(host.said[1]).toContain('The board has not answered for 1h')
  })

  it('says each problem once, also that of a certificate after the server was away', async () => {
    const host = leftBy(0)
    const problems = [
      'The server does not answer (refused).',
      'The server does not answer (starting up).',
      'The certificate was not accepted (expired).',
      'The certificate was not accepted (expired).',
    ]
    const open = () => {
      const problem = problems.shift()
      return problem === undefined
        ? Promise.resolve('open')
        : Promise.reject(new StoreRefusal('store_unreachable', problem))
    }
    expect(await wait(host, open)).toBe('open')
    expect(host.said.filter((line) => !line.includes('others may'))).toEqual([
      'The server does not answer (refused). The worker waits for it.',
      'The certificate was not accepted (expired). The worker waits for it.',
      'The board answers again.',
    ])
  })

  it('ends at once if the server refuses it', async () => {
    const refused = new StoreRefusal('not_allowed', 'The login was refused.')
    await expect(wait(leftBy(0), () => Promise.reject(refused))).rejects.toThrow('The login was refused.')
  })
})
