import { expect, test } from 'vitest'
import type { Radar, RadarWorktree } from '../../../src/contracts/observations.ts'
import { openTerminal } from '../terminal.ts'

const worktree = (name: string, draft: Partial<RadarWorktree> = {}): RadarWorktree => ({
  name,
  target: 'main',
  brings: true,
  unfinished: 0,
  needs: [],
  uncommitted: 0,
  remark: null,
  ...draft,
})

const radar: Radar = {
  worktrees: [worktree('auth'), worktree('payments', { remark: 'its folder is gone' }), worktree('search')],
  pairs: [
    { a: 'auth', b: 'main', withTarget: true, files: ['a.ts'], includesUncommitted: false, problem: null },
    {
      a: 'auth',
      b: 'payments',
      withTarget: false,
      files: ['a.ts', 'b\u001b[31m.ts'],
      includesUncommitted: true,
      problem: null,
    },
    {
      a: 'payments',
      b: 'search',
      withTarget: false,
      files: [],
      includesUncommitted: false,
      problem: 'they have no commit in common',
    },
  ],
  order: ['search', 'payments', 'auth'],
  steps: [
    { worktree: 'search', why: 'merges without conflict' },
    { worktree: 'payments', why: 'conflicts with auth after it' },
    { worktree: 'auth', why: 'conflicts with main, which must be merged into it first' },
  ],
}

test('worktree radar prints the matrix, the conflicts and the order, and compares all pairs', async () => {
  const asked: unknown[] = []
  const terminal = await openTerminal({
    outside: { radar: (options) => (asked.push(options), Promise.resolve(radar)) },
  })
  expect((await terminal.run('worktree', 'radar')).out).toBe(
    [
      '#  WORKTREE  TARGET  1  2  3',
      '1  auth      C       –  U  ·',
      '2  payments  ·       U  –  ?',
      '3  search    ·       ·  ?  –',
      'C conflict, U conflict with uncommitted changes, ? cannot be compared, · merges cleanly',
      '',
      'Conflicts',
      '  auth conflicts with main in a.ts',
      '  auth conflicts with payments in a.ts, b.ts, including uncommitted changes',
      '  payments cannot be merged with search: they have no commit in common',
      '',
      'Suggested merge order',
      '  1. search: merges without conflict',
      '  2. payments: conflicts with auth after it',
      '  3. auth: conflicts with main, which must be merged into it first',
      '',
      'Not read',
      '  payments: its folder is gone',
      '',
    ].join('\n'),
  )
  expect(asked).toEqual([{ everything: true }])
})

test('worktree radar --json prints the conflicting pairs and the order', async () => {
  const terminal = await openTerminal({ outside: { radar: () => Promise.resolve(radar) } })
  expect(await terminal.json('worktree', 'radar')).toEqual(radar)
})

test('worktree radar reports that there is nothing to compare without worktrees', async () => {
  const terminal = await openTerminal()
  expect((await terminal.run('worktree', 'radar')).out).toBe('No worktrees to compare.\n')
  expect(await terminal.json('worktree', 'radar')).toEqual({ worktrees: [], pairs: [], order: [], steps: [] })
})
