import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../../src/effects/processes/process.ts'
import { temporaryFolder } from '../../support/core.ts'

it('a command with a timeout of months is not ended at once', async () => {
  const folder = temporaryFolder()
  const end = await runCommand('sleep 0.3', { cwd: folder, output: join(folder, 'output'), timeout: 60 * 86_400_000 })
  expect(end).toEqual({ exitCode: 0, timedOut: false })
})
