import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { moveMarker, takeIndexLock } from '../../../src/effects/integration/move.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { temporaryFolder } from '../../support/core.ts'

it('the lock of a dead mover is not taken while one of its git processes still runs', async () => {
  const lock = join(temporaryFolder(), 'index.lock')
  const owner = { ...identify(process.pid)!, startedAt: '1' }
  writeFileSync(
    lock,
    JSON.stringify({ aiswarm: 'is moving this checkout; it finishes or goes back by itself', move: 1, owner }),
  )
  const child = spawn('sh', ['-c', 'echo ready; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], ...moveMarker(lock) },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  expect(takeIndexLock(lock, 1)).toBe('busy')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  expect(takeIndexLock(lock, 1)).toBe('abandoned')
})

it('the lock of a living mover is not taken', async () => {
  const lock = join(temporaryFolder(), 'index.lock')
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  writeFileSync(
    lock,
    JSON.stringify({
      aiswarm: 'is moving this checkout; it finishes or goes back by itself',
      move: 1,
      owner: identify(child.pid!),
    }),
  )
  expect(takeIndexLock(lock, 1)).toBe('busy')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  expect(takeIndexLock(lock, 1)).toBe('abandoned')
})
