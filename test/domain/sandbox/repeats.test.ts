import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Mount, withoutRepeats } from '../../../src/domain/sandbox/policy.ts'
import { isWithin } from '../../../src/domain/worktree/worktree.ts'

const name = fc.constantFrom('a', 'b', 'c')
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join('/')}`)
const access = fc.constantFrom('writable', 'read-only', 'private', 'hidden' as const)
const rows: fc.Arbitrary<readonly Mount[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ path, access }) },
    { weight: 1, arbitrary: fc.record({ path, access: fc.constant('writable' as const), from: fc.constant('/copy') }) },
  ),
  { maxLength: 10 },
)

/** The access by the last mount that holds a path. */
const seen = (mounts: readonly Mount[], asked: string) => {
  const { access: last, from } = mounts.findLast((one) => isWithin(asked, one.path)) ?? {}
  return [last, from]
}

it('mounts without repeats give every path the same access', () => {
  fc.assert(
    fc.property(rows, path, (given, asked) => {
      const mounts: readonly Mount[] = [{ path: '/', access: 'read-only' }, ...given]
      expect(seen(withoutRepeats(mounts), asked)).toEqual(seen(mounts, asked))
    }),
    { numRuns: 3000 },
  )
})

it('mounts without repeats leave out a folder of programs in a readable one, and keep one in a private one', () => {
  const mounts: readonly Mount[] = [
    { path: '/', access: 'read-only' },
    { path: '/home/ada', access: 'private' },
    { path: '/home/ada/.nvm', access: 'read-only' },
    { path: '/home/ada/.nvm/bin', access: 'read-only' },
    { path: '/srv/other', access: 'read-only' },
    { path: '/proc/own', access: 'read-only' },
  ]
  expect(withoutRepeats(mounts).map((mount) => mount.path)).toEqual(['/', '/home/ada', '/home/ada/.nvm', '/proc/own'])
})
