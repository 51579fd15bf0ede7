import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runFolder } from '../../../src/effects/files/paths.ts'
import { temporaryFolder } from '../../support/core.ts'
import { until } from '../swarm.ts'

const fixture = (name: string): string => resolve(import.meta.dirname, '../../fixtures', name)

/** Says that it runs, and ends when the file is there, or the process that has started it has ended. */
const program = `
const { existsSync, writeFileSync } = require('node:fs')
writeFileSync('began', '')
const parent = process.ppid
const wait = setInterval(() => {
  if (existsSync('end')) console.log('carried out')
  if (existsSync('end') || process.ppid !== parent) clearInterval(wait)
}, 20)
`

const kept = (child: ChildProcess): ChildProcess => {
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const served = async () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'program.cjs'), program)
  const server = kept(
    spawn(process.execPath, [fixture('agents-server.ts'), root, join(root, 'program.cjs')], { cwd: root }),
  )
  const folder = runFolder(root)
  await until('the socket', () => existsSync(join(folder, 'worker')))
  return {
    server,
    began: () => existsSync(join(root, 'began')),
    end: () => writeFileSync(join(root, 'end'), ''),
    /** The command of an agent: its exit code and what it wrote. */
    command: (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
      new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((done) => {
        const env = {
          ...process.env,
          AISWARM_WORKER: folder,
          AISWARM_ROOT: root,
          AISWARM_AGENT_ID: 'a',
          ...environment,
        }
        const child = kept(spawn(process.execPath, [fixture('through-worker.ts'), ...words], { cwd: root, env }))
        let [out, err] = ['', '']
        child.stdout!.on('data', (piece) => (out += String(piece)))
        child.stderr!.on('data', (piece) => (err += String(piece)))
        child.on('close', (code) => done({ code, out, err }))
      }),
  }
}

const sentence = 'The process that runs the agents of this host does not answer.'

it('a command is carried out by a process that serves, however long it takes', async () => {
  const { command, began, end } = await served()
  const answer = command(['task', 'list'])
  await until('its beginning', began)
  end()
  expect(await answer).toMatchObject({ code: 0, out: 'carried out\n' })
})

it('a command is refused if the process is stopped when it begins', async () => {
  const { command, server } = await served()
  server.kill('SIGSTOP')
  expect(await command(['task', 'list'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(sentence) as string,
  })
  const { err } = await command(['task', 'list', '--json'])
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'store_unreachable' } })
})

it('a command ends if the process is stopped while it runs', async () => {
  const { command, server, began } = await served()
  const answer = command(['task', 'list'])
  await until('its beginning', began)
  server.kill('SIGSTOP')
  expect(await answer).toMatchObject({ code: 1, err: expect.stringContaining(sentence) as string })
})

it('an agent that may open the board itself does so while the process is stopped', async () => {
  const { command, server } = await served()
  server.kill('SIGSTOP')
  expect(await command(['task', 'list'], { AISWARM_WITHOUT_WORKER: '1' })).toMatchObject({ code: 99 })
})
