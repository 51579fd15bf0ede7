import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { socketIn, withHost } from '../../../src/effects/sandbox/entry.ts'
import { temporaryFolder } from '../../support/core.ts'

// Less than a program waits for a server that may still be starting.
const timeout = 5000

it('a program waits for the socket of a server that starts after it', { timeout }, async () => {
  const folder = temporaryFolder()
  const found = socketIn(folder, 'door')
  writeFileSync(join(folder, 'door'), '')
  await expect(found).resolves.toBeUndefined()
})

it('a program waits for no socket that it has removed itself', { timeout }, async ({ onTestFinished }) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const [, , script] = withHost(['server'], { door: '/door' })
  const [, variable, until] = /(AISWARM_\w+)=(\d+)/.exec(script!) ?? []
  expect(Number(until)).toBeGreaterThan(Date.now())
  vi.stubEnv(variable!, String(Date.now() - 1))
  await expect(socketIn(temporaryFolder(), 'door')).resolves.toBeUndefined()
})
