import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { pipe } from '../../../src/effects/doorway/pipe.ts'
import { temporaryFolder } from '../../support/core.ts'
import { until } from '../swarm.ts'

/** Answers questions whether it is there, and each call but the slow one, whose answer comes when another call does. */
const server = `
const { createServer } = require('node:net')
const { appendFileSync } = require('node:fs')
let slow
createServer((socket) => {
  socket.on('data', (piece) => {
    for (const line of String(piece).split('\\n').filter((one) => one.startsWith('{'))) {
      const { id, method, params } = JSON.parse(line)
      appendFileSync('heard', (params?.name ?? method) + '\\n')
      const say = (id) => socket.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n')
      if (params?.name === 'slow') { slow = id; continue }
      if (method === 'tools/call' && slow !== undefined) say(slow)
      say(id)
    }
  })
}).listen('socket')
`

const piped = async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'heard'), '')
  const child = spawn(process.execPath, ['-e', server], { cwd: folder, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await until('the socket', () => existsSync(join(folder, 'socket')))
  const [input, output] = [new PassThrough(), new PassThrough()]
  let said = ''
  output.on('data', (piece) => (said += String(piece)))
  void pipe({ connect: () => connect(join(folder, 'socket')), input, output, request: 'who\n', patience: 1000 })
  onTestFinished(() => void input.end())
  return {
    call: (id: number, name: string) =>
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`),
    answers: () =>
      said
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Answer),
    heard: () => readFileSync(join(folder, 'heard'), 'utf8').split('\n').slice(0, -1),
    stop: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
  }
}

interface Answer {
  readonly id: number
  readonly result: { readonly isError?: boolean }
}

it('a call to a process that is stopped is refused, and its late answer is left out', async () => {
  const { call, answers, stop, wake } = await piped()
  call(1, 'quick')
  await until('its answer', () => answers().length > 0)
  stop()
  call(2, 'quick')
  await until('the refusal', () => answers().length > 1)
  expect(answers()[1]).toMatchObject({ id: 2, result: { isError: true } })
  wake()
  call(3, 'quick')
  await until('the next answer', () => answers().some(({ id }) => id === 3))
  expect(answers().map(({ id }) => id)).toEqual([1, 2, 3])
})

it('a call that a process has and answers late, as when a person is asked, is not refused', async () => {
  const { call, answers, heard } = await piped()
  call(1, 'slow')
  // The time of several refusals.
  await until('questions whether it is there', () => heard().filter((name) => name === 'ping').length > 8)
  expect(answers()).toEqual([])
  call(2, 'quick')
  await until('both answers', () => answers().length === 2)
  expect(answers().map(({ id, result }) => [id, result])).toEqual([
    [1, {}],
    [2, {}],
  ])
})
