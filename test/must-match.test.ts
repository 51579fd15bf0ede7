import { expect, it } from 'vitest'
import { patchOf } from '../build/must-match.ts'

it('a patch of a dependency that matches nothing fails the build', () => {
  const plugin = patchOf(
    'library',
    { name: 'patch', transform: (code: string) => (code === 'known' ? 'patched' : null) },
    { library: '1.2.3' },
  )
  expect(plugin.transform('other')).toBeNull()
  expect(() => plugin.buildEnd()).toThrow('patch matches nothing')
  // The error that ended the build is the one to read.
  expect(() => plugin.buildEnd(new Error('the build failed'))).not.toThrow()
  expect(plugin.transform('known')).toBe('patched')
  expect(() => plugin.buildEnd()).not.toThrow()
})

it.each(['^1.2.3', '1.x', undefined])('a dependency that the build patches is pinned exactly: not %s', (range) => {
  expect(() => patchOf('library', { name: 'patch' }, { library: range })).toThrow(
    `patch patches library, which package.json names as ${range ?? 'nothing'}; pin it to one version.`,
  )
})
