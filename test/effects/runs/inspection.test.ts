import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { inspectAgent, treeOf } from '../../../src/effects/runs/inspection.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { readProcessTable } from '../../../src/effects/processes/table.ts'
import { until } from '../swarm.ts'

/** A shim, an agent below it, and a process that the agent started. */
const startFamily = async () => {
  const script = `sh -c 'sleep 300 & exec sleep 400' worker --api-key not-to-be-seen "$SERVICE_TOKEN" & wait`
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'], SERVICE_TOKEN: 'correct-horse-battery', PLAIN: 'shown by its name' },
  })
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  })
  await once(child, 'spawn')
  await until('the family', () => treeOf(child.pid!, readProcessTable()).length >= 3)
  const identity = identify(child.pid!)!
  // A child exists before it has become its program.
  const runs = (): boolean =>
    inspectAgent({ process: 'started', identity }, []).processes!.some(({ command }) => command === 'sleep 300')
  await until('what they run', runs)
  return { child, identity }
}

it('the inspection shows the processes of an agent, each below its parent, and no secret', async () => {
  const { child, identity } = await startFamily()
  const seen = inspectAgent({ process: 'started', identity }, [])
  const [shim, ...below] = seen.processes!
  expect([shim!.pid, shim!.level]).toEqual([child.pid, 0])
  expect(below.some(({ level, command }) => level >= 1 && command === 'sleep 300')).toBe(true)
  expect(seen.environment).toEqual(expect.arrayContaining(['PLAIN', 'SERVICE_TOKEN']))
  const all = JSON.stringify(seen)
  expect(all).not.toContain('correct-horse-battery')
  expect(all).not.toContain('shown by its name')
  expect(all).toContain('SERVICE_TOKEN')
})

it('the inspection masks secret words of the command line itself', async () => {
  const child = spawn(
    process.execPath,
    ['-e', 'setInterval(() => {}, 1000)', 'agent', '--api-key', 'not-to-be-seen', 'correct-horse-battery'],
    {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], SERVICE_TOKEN: 'correct-horse-battery' },
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const identity = await until('the process', () => identify(child.pid!))
  const { command } = await until('its command line', () => {
    const seen = inspectAgent({ process: 'started', identity }, [])
    return seen.command?.includes('--api-key') ? seen : undefined
  })
  expect(command!.slice(-4)).toEqual(['agent', '--api-key', '••••••', '••••••'])
})

it('the inspection cuts a long command line between words, so that no secret is cut in two', async () => {
  const secret = 'correct-horse-battery'.repeat(1000)
  const child = spawn(
    process.execPath,
    ['-e', 'setInterval(() => {}, 1000)', ...Array.from({ length: 10 }, () => 'x'.repeat(3900)), secret, 'last'],
    {
      detached: true,
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        SERVICE_TOKEN: secret,
        ...Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`NAME_${n}`, ''])),
      },
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const identity = await until('the process', () => identify(child.pid!))
  const { command, environment } = await until('its command line', () => {
    const seen = inspectAgent({ process: 'started', identity }, [])
    return seen.command?.includes('…') ? seen : undefined
  })
  expect([command!.at(-1), command!.length, command!.join('').includes('horse'), environment!.length]).toEqual([
    '…',
    14,
    false,
    1000,
  ])
})

it('the inspection knows nothing of an agent that does not run, or of another process with its process id', async () => {
  const nothing = { command: null, folder: null, environment: null, processes: null }
  expect(inspectAgent(undefined, [])).toEqual(nothing)
  const other = { ...identify(process.pid)!, startedAt: 'another' }
  expect(inspectAgent({ process: 'started', identity: other }, [])).toEqual(nothing)
})
