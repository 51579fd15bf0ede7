import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { refused, temporaryFolder } from '../../support/core.ts'

const module = resolve(import.meta.dirname, '../../../src/db/sqlite/file-lock.ts')

/** A process that increments a number in a file this many times, under the lock. */
const adder = (folder: string, times: number, then = '') =>
  execa(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { readFileSync, writeFileSync } from 'node:fs'
     const { withFileLock } = await import(${JSON.stringify(module)})
     for (let i = 0; i < ${times}; i++) withFileLock(${JSON.stringify(join(folder, 'lock'))}, () => {
       writeFileSync(${JSON.stringify(join(folder, 'n'))}, String(Number(readFileSync(${JSON.stringify(join(folder, 'n'))}, 'utf8')) + 1))
       ${then}
     })`,
  ])

it('processes that write under the file lock lose no write', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'n'), '0')
  await Promise.all(Array.from({ length: 6 }, () => adder(folder, 40)))
  expect(readFileSync(join(folder, 'n'), 'utf8')).toBe('240')
})

it('a killed process releases the file lock', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'n'), '0')
  await adder(folder, 1, "process.kill(process.pid, 'SIGKILL')").catch(() => {})
  expect(readFileSync(join(folder, 'n'), 'utf8')).toBe('1')
  expect(withFileLock(join(folder, 'lock'), () => 'mine')).toBe('mine')
  expect(existsSync(join(folder, 'lock'))).toBe(true)
})

it('an exception releases the file lock', () => {
  const path = join(temporaryFolder(), 'lock')
  expect(() =>
    withFileLock(path, () => {
      throw new Error('inside')
    }),
  ).toThrow('inside')
  expect(withFileLock(path, () => 1)).toBe(1)
})

it('a file lock in a missing folder is refused', async () => {
  expect(await refused(Promise.resolve().then(() => withFileLock('/nonexistent/lock', () => 1)))).toBe('not_writable')
})
