import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { mustMatch } from '../build/must-match.ts'

const root = resolve(import.meta.dirname, '..')

it('a patch of a dependency that matches nothing fails the build', () => {
  const plugin = mustMatch({ name: 'patch', transform: (code: string) => (code === 'known' ? 'patched' : null) })
  expect(plugin.transform('other')).toBeNull()
  expect(() => plugin.buildEnd()).toThrow('patch matches nothing')
  // The error that ended the build is the one to read.
  expect(() => plugin.buildEnd(new Error('the build failed'))).not.toThrow()
  expect(plugin.transform('known')).toBe('patched')
  expect(() => plugin.buildEnd()).not.toThrow()
})

it('a dependency that the build patches is pinned exactly', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(
    ['ink', 'ink-table', 'string-width'].filter((name) => !/^\d+\.\d+\.\d+$/.test(devDependencies[name] ?? '')),
  ).toEqual([])
})
