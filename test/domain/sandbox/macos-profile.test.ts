import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { profileOf } from '../../../src/domain/sandbox/macos-profile.ts'
import { type Mount, mountsFor, type Places } from '../../../src/domain/sandbox/policy.ts'
import { isWithin } from '../../../src/domain/worktree/worktree.ts'

// No Mac is at hand: the profile is read here as sandbox-exec would, and compared with the table of the policy.

type Term = string | readonly Term[]

/** The forms of a profile. */
const parsed = (text: string): readonly (readonly Term[])[] => {
  const words = text.match(/"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? []
  const read = (): readonly Term[] => {
    const terms: Term[] = []
    for (let word = words.shift(); word !== undefined && word !== ')'; word = words.shift())
      terms.push(word === '(' ? read() : word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word)
    return terms
  }
  return read() as readonly (readonly Term[])[]
}

const holds = (filter: Term, path: string): boolean => {
  const [what, ...rest] = filter as readonly Term[]
  if (what === 'subpath') return isWithin(path, String(rest[0]))
  if (what === 'literal') return path === rest[0]
  if (what === 'require-not') return !holds(rest[0]!, path)
  if (what === 'require-all') return rest.every((one) => holds(one, path))
  return false
}

/** By the last rule that holds; a rule without a filter holds for all. */
const decision = (profile: readonly (readonly Term[])[], operation: string, path: string): string =>
  String(
    profile.findLast(([, ...rest]) => {
      const filters = rest.filter((term) => typeof term !== 'string')
      const named = ['default', operation, `${operation.split('-')[0]!}*`].some((name) => rest.includes(name))
      return named && filters.every((filter) => holds(filter, path))
    })?.[0],
  )

type Profile = ReturnType<typeof parsed>
const reads = (profile: Profile, path: string): boolean => decision(profile, 'file-read-data', path) === 'allow'
const writes = (profile: Profile, path: string): boolean => decision(profile, 'file-write*', path) === 'allow'

const temporary = '/Users/ada/shop/.aiswarm/run/private-1'
const open = { network: 'open', sockets: [], refs: [], temporary } as const

/** By the last row that holds the path. */
const byTable = (mounts: readonly Mount[], path: string) => {
  const { access } = [...mounts, { path: temporary, access: 'writable' } as const].findLast((one) =>
    isWithin(path, one.path),
  )!
  return { reads: access !== 'hidden' && access !== 'private', writes: access === 'writable' }
}

const git = '/Users/ada/shop/.git'
const places: Places = {
  folder: '/Users/ada/auth',
  root: '/Users/ada/shop',
  gitFolder: git,
  administration: `${git}/worktrees/auth`,
  worktrees: ['/Users/ada/other'],
  othersHidden: false,
  home: '/Users/ada',
  temporary: ['/private/tmp', '/private/var/tmp', '/private/var/folders/x'],
  sockets: ['/private/var/run'],
  programs: ['/Users/ada/.nvm/bin'],
  state: ['/Users/ada/.claude'],
  stateSettings: ['/Users/ada/.claude/settings.json'],
  doors: [],
  run: ['/Users/ada/shop/.aiswarm/run/implementer-1.1.inside'],
  git: null,
  write: [],
  read: ['/Users/ada/.npmrc'],
  hide: [],
}

describe('the profile of an agent', () => {
  const refs = [`${git}/refs/heads/feature/auth`, `${git}/logs/refs/heads/feature/auth`]
  const profile = parsed(profileOf(mountsFor('agent', places), { ...open, refs, sockets: places.run }))

  it.each([
    ['/usr/bin/git', true, false],
    ['/Users/ada/.ssh/id', false, false],
    ['/Users/ada/.npmrc', true, false],
    ['/Users/ada/.claude/sessions/1', true, true],
    ['/Users/ada/.claude/settings.json', true, false],
    ['/Users/ada/auth/src/a.ts', true, true],
    ['/Users/ada/auth/.git', true, false],
    ['/Users/ada/other/a.ts', true, false],
    ['/Users/ada/shop/a.ts', true, false],
    ['/Users/ada/shop/.aiswarm/coordination.db', false, false],
    ['/Users/ada/shop/.aiswarm/run/implementer-1.1.inside/door', true, true],
    [`${temporary}/a`, true, true],
    [`${git}/config`, true, false],
    [`${git}/objects/ab/cd`, true, true],
    [`${git}/objects/pack/p`, true, false],
    [`${git}/worktrees/auth/HEAD`, true, true],
    [`${git}/worktrees/auth/commondir`, true, false],
    [`${git}/refs/heads/main`, true, false],
    [`${git}/refs/heads/feature/auth.lock`, true, true],
    [`${git}/refs/heads/feature/auth2`, true, false],
    ['/private/tmp/note', false, false],
    ['/private/var/run/docker.sock', false, false],
    ['/dev/null', true, true],
  ])('%s: read %s, written %s', (path, read, written) => {
    expect([reads(profile, path), writes(profile, path)]).toEqual([read, written])
  })

  it('reaches no socket of the session, but the one that resolves names and that of aiswarm', () => {
    const reached = (path: string): boolean => decision(profile, 'network-outbound', path) === 'allow'
    expect(reached('/private/var/run/docker.sock')).toBe(false)
    expect(reached('/private/tmp/com.apple.launchd.1/Listeners')).toBe(false)
    expect(reached('/private/var/run/mDNSResponder')).toBe(true)
    expect(reached(`${places.run[0]!}/door`)).toBe(true)
  })

  it.each(['none', 'proxied'] as const)('has no network but that of aiswarm with %s', (network) => {
    const closed = parsed(profileOf(mountsFor('agent', places), { ...open, network, sockets: places.run }))
    expect(decision(closed, 'network-outbound', '/private/var/run/mDNSResponder')).toBe('deny')
    expect(decision(closed, 'network-outbound', `${places.run[0]!}/door`)).toBe('allow')
    expect(JSON.stringify(closed).includes('localhost')).toBe(network === 'proxied')
  })
})

describe('a profile', () => {
  const name = fc.constantFrom('a', 'b', 'c "d"')
  const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join('/')}`)
  const access = fc.constantFrom('writable', 'read-only', 'private', 'hidden' as const)
  const rows = fc.array(fc.record({ path, access }), { maxLength: 8 })
  const withSystem = (given: readonly Mount[]): readonly Mount[] => [{ path: '/', access: 'read-only' }, ...given]

  it('decides every path as the table does', () => {
    fc.assert(
      fc.property(rows, path, (given, asked) => {
        const mounts = withSystem(given)
        const profile = parsed(profileOf(mounts, open))
        expect({ reads: reads(profile, asked), writes: writes(profile, asked) }).toEqual(byTable(mounts, asked))
      }),
      { numRuns: 1000 },
    )
  })

  it('has at most one rule for the files of a path, so that their order decides nothing', () => {
    fc.assert(
      fc.property(rows, path, (given, asked) => {
        const found = parsed(profileOf(withSystem(given), open)).filter(
          ([, operation, ...filters]) =>
            String(operation).startsWith('file-') &&
            filters.some((filter) => typeof filter !== 'string' && holds(filter, asked)),
        )
        expect(found.length).toBeLessThan(2)
      }),
      { numRuns: 500 },
    )
  })
})
