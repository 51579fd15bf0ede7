import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import {
  environmentAt,
  isFree,
  listens,
  releaseVerificationPort,
  worktreeEnvironment,
} from '../../../src/effects/worktrees/ports.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { releasePort } from '../../../src/operations/worktrees/ports.ts'
import { refusal } from '../../support/core.ts'
import { openSwarm, read, type Swarm, until } from '../swarm.ts'

/** Listens on a port like another program of the machine; by default on any free one. */
const stranger = async (port = 0, host = '127.0.0.1'): Promise<number> => {
  const server = createServer().listen({ port, host, exclusive: true })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

/**
 * This many adjacent ports that are free now, in the form of the configuration; below those that the system gives to
 * programs without a wish.
 */
const freeRange = async (size: number): Promise<readonly [number, number]> => {
  for (let first = 20_000 + Math.floor(Math.random() * 10_000); ; first += size) {
    const ports = Array.from({ length: size }, (_, at) => first + at)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return [first, first + size - 1]
  }
}

const swarmWithPorts = async (size: number, more = '') => {
  const [first, last] = await freeRange(size)
  return { swarm: await openSwarm({ config: `worktrees: {ports: [${first}, ${last}]${more}}\n` }), first, last }
}

const portOf = async (swarm: Swarm, name = 'auth'): Promise<number> => (await swarm.worktree(name)).port!

describe('the check for a free port', () => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1', '::']) {
    it(`finds a program that listens on ${host}`, async () => {
      const port = await stranger(0, host).catch(() => undefined)
      // A machine without IPv6 has no listener there.
      if (port === undefined) return expect(host).toContain(':')
      expect(await isFree(port)).toBe(false)
    })
  }

  it('does not keep the port', async () => {
    const [port] = await freeRange(1)
    expect([await isFree(port), await isFree(port)]).toEqual([true, true])
  })

  it('names the program that uses the port, if the system reports it', async () => {
    const port = await stranger()
    expect(listens([process.pid], port)).toBe(process.platform === 'linux' ? true : undefined)
    if (process.platform === 'linux') expect(listens([1, 999_999], port)).toBe(false)
  })
})

describe('the port of a worktree', () => {
  it('is in the range, and its setup, its agents and a person in it get it', async () => {
    const { swarm, first, last } = await swarmWithPorts(
      20,
      ', setup: "echo $AISWARM_PORT $AISWARM_WORKTREE > setup.txt"',
    )
    const folder = await swarm.build('auth')
    const port = await portOf(swarm)
    expect(port >= first && port <= last).toBe(true)
    expect(read(folder, 'setup.txt')).toBe(`${port} auth\n`)
    await swarm.carryOut('echo $AISWARM_PORT > agent.txt', { targetWorktree: 'auth' })
    expect(read(folder, 'agent.txt')).toBe(`${port}\n`)
    expect(await environmentAt(swarm.world, folder)).toMatchObject({
      AISWARM_PORT: String(port),
      AISWARM_WORKTREE: 'auth',
    })
    expect(await environmentAt(swarm.world, swarm.root)).toEqual({})
  })

  it('is not one that another program uses', async () => {
    const { swarm, first, last } = await swarmWithPorts(3)
    await stranger(first)
    await stranger(last)
    await swarm.build('auth')
    expect(await portOf(swarm)).toBe(first + 1)
  })

  it('is never the port of another worktree, whichever console creates it, and the end of the range is a sentence', async () => {
    const { swarm, first, last } = await swarmWithPorts(6)
    const worlds = [swarm.world, await swarm.open(), await swarm.open()]
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        act({ core: worlds[i % 3]!.core, actor: person, outside: outsideOf(worlds[i % 3]!) }, createWorktree, {
          name: `w${i}`,
          branchName: `b${i}`,
        }),
      ),
    )
    expect(made.map(({ port }) => port!).sort()).toEqual(Array.from({ length: 6 }, (_, at) => first + at))
    const { code, message } = await refusal(swarm.build('more'))
    expect(code).toBe('setup_failed')
    expect(message).toBe(
      `No port is free for worktree more: of worktrees.ports (${first} to ${last}) worktrees use 6 and other programs 0; widen the range in .aiswarm/config.yaml.`,
    )
    expect((await refusal(swarm.worktree('more'))).code).toBe('not_found')
  })

  it('is released when the worktree is gone', async () => {
    const { swarm } = await swarmWithPorts(1)
    await swarm.build('auth')
    const port = await portOf(swarm)
    await act(swarm.connection, discardWorktree, { worktreeName: 'auth', reason: 'done' })
    expect((await swarm.worktree('auth')).port).toBeNull()
    await swarm.build('pay')
    expect(await portOf(swarm, 'pay')).toBe(port)
  })

  it('is released if the worktree could not be created', async () => {
    const { swarm } = await swarmWithPorts(1, ', setup: "test $AISWARM_WORKTREE = pay"')
    await refusal(swarm.build('auth'))
    await swarm.build('pay')
  })

  it('is separate from the port for the verification of its merge, during that verification', async () => {
    const { swarm } = await swarmWithPorts(2)
    await swarm.build('auth')
    const own = await portOf(swarm)
    const { AISWARM_PORT } = await worktreeEnvironment(swarm.world, 'auth', 'verification')
    expect(AISWARM_PORT).not.toBe(String(own))
    expect((await refusal(swarm.build('pay'))).message).toContain('No port is free')
    await releaseVerificationPort(swarm.world, 'auth')
    await swarm.build('pay')
    expect(await portOf(swarm, 'pay')).toBe(Number(AISWARM_PORT))
  })
})

describe('before an agent is launched the port is checked', () => {
  it('and changed if another program uses it, which is reported', async () => {
    const { swarm } = await swarmWithPorts(2)
    const folder = await swarm.build('auth')
    const port = await portOf(swarm)
    await stranger(port)
    await swarm.carryOut('echo $AISWARM_PORT > agent.txt', { targetWorktree: 'auth' })
    const now = await portOf(swarm)
    expect(now).not.toBe(port)
    expect(read(folder, 'agent.txt')).toBe(`${now}\n`)
    expect(swarm.warnings).toEqual([
      `Port ${port} of worktree auth is in use by another program; its port is now ${now}.`,
    ])
  })

  it('and kept if a program of the worktree itself uses it', async () => {
    const { swarm } = await swarmWithPorts(2)
    const folder = await swarm.build('auth')
    const port = await portOf(swarm)
    const server = spawn(
      process.execPath,
      ['-e', `require('net').createServer().listen(${port}, () => console.log('up'))`],
      {
        env: { ...process.env, ...(await environmentAt(swarm.world, folder)) },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void server.kill('SIGKILL'))
    await once(server.stdout, 'data')
    if (process.platform !== 'linux') return
    await worktreeEnvironment(swarm.world, 'auth')
    expect(await portOf(swarm)).toBe(port)
    expect(swarm.warnings).toEqual([])
  })

  it('and kept if the setup left a listener, which need not be a process of aiswarm', async () => {
    const serve = `node -e "require('net').createServer().listen(process.env.AISWARM_PORT, () => console.log('up'))"`
    const { swarm } = await swarmWithPorts(
      2,
      `, setup: ${JSON.stringify(`env -u AISWARM_WORKTREE ${serve} > up 2>&1 & until test -s up; do sleep 0.02; done`)}`,
    )
    await swarm.build('auth')
    const port = await portOf(swarm)
    await until('a listener', async () => !(await isFree(port)))
    await worktreeEnvironment(swarm.world, 'auth')
    expect(await portOf(swarm)).toBe(port)
  })

  it('by one launch at a time: none takes another for a foreign program', async () => {
    const { swarm } = await swarmWithPorts(2)
    await swarm.build('auth')
    const port = await portOf(swarm)
    const other = await swarm.open()
    const seen = await Promise.all(
      [swarm.world, other, swarm.world, other].map((world) => worktreeEnvironment(world, 'auth')),
    )
    expect(seen.map(({ AISWARM_PORT }) => AISWARM_PORT)).toEqual(Array.from({ length: 4 }, () => String(port)))
    expect(swarm.warnings).toEqual([])
  })

  it('and if none is left, one sentence says why the agent does not start', async () => {
    const { swarm } = await swarmWithPorts(1)
    await swarm.build('auth')
    await stranger(await portOf(swarm))
    await swarm.task({ command: 'true', targetWorktree: 'auth' })
    const agentId = await swarm.dispatched()
    await swarm.launched(agentId)
    expect((await swarm.agent(agentId)).launchError).toContain('No port is free for worktree auth')
  })
})

it('a worktree from before there were ports gets one when something is started in it', async () => {
  const { swarm } = await swarmWithPorts(1)
  await swarm.build('auth')
  await perform(swarm.core, releasePort, { worktreeName: 'auth', purpose: 'work' }, swarm.world.actor)
  expect(await portOf(swarm)).toBeNull()
  const { AISWARM_PORT } = await worktreeEnvironment(swarm.world, 'auth')
  expect(AISWARM_PORT).toBe(String(await portOf(swarm)))
})
