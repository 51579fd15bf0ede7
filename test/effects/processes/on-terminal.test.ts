import { expect, it } from 'vitest'
import { runOnTerminal } from '../../../src/effects/processes/process.ts'
import { temporaryFolder } from '../../support/core.ts'

it('a program on the terminal returns its exit code, and says why it does not start', async () => {
  const folder = temporaryFolder()
  expect(await runOnTerminal('/bin/sh', ['-c', 'exit 3'], folder)).toBe(3)
  await expect(runOnTerminal('aiswarm-has-no-such-program', [], folder)).rejects.toThrow('ENOENT')
})
