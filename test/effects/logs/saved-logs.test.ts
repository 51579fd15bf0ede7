import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { saveLog } from '../../../src/effects/processes/output.ts'
import { temporaryFolder } from '../../support/core.ts'

it('a saved log is a new file without secrets that only its owner can read', async () => {
  const root = temporaryFolder()
  const folder = join(root, '.aiswarm/logs/saved')
  const path = await saveLog(root, 'logs-1', 'key sk-abcdefghijklmnop1234\nall is well\n')
  expect(path).toBe(join(folder, 'logs-1.log'))
  expect(readFileSync(path, 'utf8')).toBe('key ••••••\nall is well\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = await saveLog(root, 'logs-1', 'later')
  expect(second).toBe(join(folder, 'logs-1-2.log'))
  expect(readFileSync(path, 'utf8')).toContain('all is well')
  expect(readdirSync(folder).sort()).toEqual(['logs-1-2.log', 'logs-1.log'])
})
