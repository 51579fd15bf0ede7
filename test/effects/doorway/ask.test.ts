import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runFolder } from '../../../src/effects/files/paths.ts'
import { temporaryFolder } from '../../support/core.ts'
import { until } from '../swarm.ts'

const fixture = (name: string): string => resolve(import.meta.dirname, '../../fixtures', name)

const kept = (child: ChildProcess): ChildProcess => {
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const served = async () => {
  const root = temporaryFolder()
  const server = kept(spawn(process.execPath, [fixture('agents-server.ts'), root], { cwd: root }))
  const folder = runFolder(root)
  await until('the socket', () => existsSync(join(folder, 'worker')))
  return {
    server,
    began: () => existsSync(join(root, 'began')),
    end: () => writeFileSync(join(root, 'end'), ''),
    /** How the call of an agent ends; null if the agent must do it itself. */
    ask: (environment: Readonly<Record<string, string>> = {}) =>
      new Promise<unknown>((done) => {
        const env = { ...process.env, AISWARM_WORKER: folder, AISWARM_AGENT_ID: 'a', ...environment }
        const child = kept(spawn(process.execPath, [fixture('asking-agent.ts'), 'task', 'list'], { cwd: root, env }))
        let out = ''
        child.stdout!.on('data', (piece) => (out += String(piece)))
        child.on('close', () => done(JSON.parse(out)))
      }),
  }
}

const notServed = {
  refusal: {
    code: 'store_unreachable',
    message: expect.stringContaining('The process that runs the agents of this host does not answer.') as string,
  },
}

it('a call is carried out by a process that serves, however long it takes', async () => {
  const { ask, began, end } = await served()
  const answer = ask()
  await until('its beginning', began)
  end()
  expect(await answer).toEqual({ answer: { json: 'task list', code: 0 } })
})

it('a call is refused if the process is stopped when it begins', async () => {
  const { ask, server } = await served()
  server.kill('SIGSTOP')
  expect(await ask()).toEqual(notServed)
})

it('a call ends if the process is stopped while it runs', async () => {
  const { ask, server, began } = await served()
  const answer = ask()
  await until('its beginning', began)
  server.kill('SIGSTOP')
  expect(await answer).toEqual(notServed)
})

it('an agent that may open the board itself does so while the process is stopped', async () => {
  const { ask, server } = await served()
  server.kill('SIGSTOP')
  expect(await ask({ AISWARM_WITHOUT_WORKER: '1' })).toBeNull()
})
