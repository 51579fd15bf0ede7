import { describe, expect, it } from 'vitest'
import { mountsFor, type Places } from '../../../src/domain/sandbox/policy.ts'

const places: Places = {
  folder: '/shop/auth',
  root: '/shop/main',
  gitFolder: '/shop/main/.git',
  administration: null,
  worktrees: ['/shop/auth/.worktrees/other', '/shop/far'],
  othersHidden: false,
  home: null,
  temporary: [],
  sockets: [],
  programs: [],
  state: [],
  stateSettings: [],
  run: [],
  doors: [],
  git: null,
  write: [],
  read: [],
  hide: [],
}

describe('a worktree in the working folder of another', () => {
  it.each(['agent', 'command', 'verification', 'setup', 'teardown'] as const)(
    'is read-only for the purpose %s',
    (purpose) => {
      const last = mountsFor(purpose, places).findLast(({ path }) => path === '/shop/auth/.worktrees/other')
      expect(last?.access).toBe('read-only')
      const folder = mountsFor(purpose, places).findLastIndex(({ path }) => path === '/shop/auth')
      expect(mountsFor(purpose, places).findLastIndex(({ path }) => path === last!.path)).toBeGreaterThan(folder)
    },
  )
})
