import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { identify, livenessOf, type System } from '../../../src/effects/processes/identity.ts'
import { familyOf, processesMarked, readProcessTable, statFields } from '../../../src/effects/processes/table.ts'
import { processObserver } from '../../../src/effects/runs/inspection.ts'
import { until } from '../swarm.ts'

const child = (script: string, environment: Record<string, string> = {}) => {
  const started = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], ...environment },
    detached: true,
  })
  onTestFinished(() => {
    try {
      process.kill(-started.pid!, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  })
  return started
}

describe('the identity of a process', () => {
  it('stays while it lives, and is dead afterwards', async () => {
    const one = child('read x')
    const identity = identify(one.pid!)!
    expect(identify(one.pid!)).toEqual(identity)
    expect(livenessOf(identity)).toBe('alive')
    one.stdin.end('\n')
    await once(one, 'exit')
    expect(livenessOf(identity)).toBe('dead')
    expect(identify(one.pid!)).toBeUndefined()
  })

  it('differs if the process id was reused', () => {
    const me = identify(process.pid)!
    expect(livenessOf({ ...me, startedAt: String(Number(me.startedAt) - 1) })).toBe('dead')
  })

  it('does not outlive the boot', () => {
    expect(livenessOf({ ...identify(process.pid)!, bootId: '00000000-0000-0000-0000-000000000000' })).toBe('dead')
  })

  const here = { boot: 'b', host: 'h', namespace: '1' }
  const system = (startOf: string | undefined, place = here): System => ({ place: () => place, startOf: () => startOf })
  const known = identify(7, system('99'))!

  it.each([
    ['that runs is alive', system('99'), 'alive'],
    ['that cannot be read is unknown', system(undefined), 'unknown'],
    ['with an unreadable boot is unknown', { ...system('99'), place: () => undefined }, 'unknown'],
    [
      'of another pid namespace is unknown, even if its process id is free here',
      system('none', { ...here, namespace: '2' }),
      'unknown',
    ],
    [
      'of another pid namespace is unknown, even if another process has its process id here',
      system('5', { ...here, namespace: '2' }),
      'unknown',
    ],
    [
      'of another host is unknown, whatever its boot',
      system('none', { boot: 'c', host: 'i', namespace: '1' }),
      'unknown',
    ],
    [
      'of an earlier boot of this host is dead, whatever its namespace',
      system('99', { boot: 'c', host: 'h', namespace: '2' }),
      'dead',
    ],
    ['whose number is free is dead', system('none'), 'dead'],
  ])('of a process %s', (_, at, liveness) => {
    expect(livenessOf(known, at)).toBe(liveness)
  })

  it('in the format of an older aiswarm is still valid', () => {
    expect(livenessOf({ ...known, bootId: 'b' }, system('99'))).toBe('alive')
    expect(livenessOf({ ...known, bootId: 'a' }, system('99'))).toBe('dead')
  })

  it('of a zombie is dead', async () => {
    // The shell becomes a program that never asks for the status of its child; a child that ended earlier would have
    // been asked for by the shell.
    const parent = child('(until grep -q sleep /proc/$$/comm; do sleep 0.01; done) & echo $!; exec sleep 60')
    const [said] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(said.toString())
    await until('a zombie', () => stateOf(pid) === 'Z')
    expect(identify(pid)).toBeUndefined()
    expect(livenessOf({ ...identify(parent.pid!)!, pid })).toBe('dead')
  })

  it('is parsed after a name that contains any characters', () => {
    const line =
      '42 (a) R (b) S 1 42 43 0 -1 4194560 1 2 3 4 500 70 8 9 20 0 1 0 123456 1000000 250 18446744073709551615'
    expect(statFields(line)).toEqual({
      state: 'S',
      parent: 1,
      session: 43,
      terminal: 0,
      ticks: 570,
      startTime: '123456',
      residentPages: 250,
    })
  })
})

describe('the process table', () => {
  it('has families: everything below a process and in its session', async () => {
    const parent = child('sleep 60 & (sleep 60 & sleep 60) & echo ready; wait')
    await once(parent.stdout, 'data')
    const family = await until('the whole family', () => {
      const found = familyOf(parent.pid!, readProcessTable())
      return found.length >= 4 && found
    })
    expect(family.map(({ pid }) => pid)).toContain(parent.pid)
    expect(family.map(({ pid }) => pid)).not.toContain(process.pid)
  })

  it('finds a process by all of its markers', async () => {
    const marked = child('echo ready; exec sleep 60', { AISWARM_TEST_MARK: 'here', AISWARM_TEST_RUN: '1' })
    await once(marked.stdout, 'data')
    expect(processesMarked({ AISWARM_TEST_MARK: 'here', AISWARM_TEST_RUN: '1' })).toEqual([marked.pid])
    expect(processesMarked({ AISWARM_TEST_MARK: 'here', AISWARM_TEST_RUN: '11' })).toEqual([])
  })
})

it("a busy child of an agent counts in the agent's processor and memory usage", async () => {
  const parent = child("node -e 'const a = Buffer.alloc(50e6, 1); console.log(1); for (;;);' & wait")
  await once(parent.stdout, 'data')
  const observe = processObserver()
  const run = {
    agentId: 'implementer-1',
    personaId: 'implementer',
    kind: 'command',
    run: 1,
    process: 'started' as const,
    taskId: 1,
    worktree: null,
    folder: null,
    identity: identify(parent.pid!)!,
    environment: {},
    stopRequestedAt: null,
    ofAgent: false,
    ofConfined: false,
    gone: false,
    doneAt: null,
    held: false,
    pausedAt: null,
    talks: false,
  }
  expect(observe([run])).toEqual([
    { agentId: 'implementer-1', cpu: 0, memory: expect.any(Number) as number, processes: 2 },
  ])
  const seen = await until('a busy agent', () => observe([run]).find(({ cpu }) => cpu > 10))
  expect(seen.memory).toBeGreaterThan(50e6)
  expect(observe([])).toEqual([])
})

const stateOf = (pid: number): string => {
  try {
    return statFields(readFileSync(`/proc/${pid}/stat`, 'utf8')).state
  } catch {
    return ''
  }
}
