import { describe, expect, test } from 'vitest'
import type { Outside } from '../../../src/contracts/outside.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { leasePort } from '../../../src/operations/worktrees/ports.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordMove } from '../../../src/operations/integration/merge.ts'
import { recordRemoval, recordRestore } from '../../../src/operations/worktrees/archive.ts'
import { recordPushed, recordSnapshot } from '../../../src/operations/hosts/locations.ts'
import { changeIntegration } from '../../../src/db/integrations.ts'
import { changeWorktree } from '../../../src/db/worktrees.ts'
import { CONFIGURATION_CHANGED } from '../../../src/domain/integration/trusted-configuration.ts'
import type { IntegrationState } from '../../../src/domain/integration/integration.ts'
import { emptyCensus } from '../../support/census.ts'
import { fileOf, reviewOfFiles } from '../../support/review.ts'
import { type Given, openTerminal, type Terminal } from '../terminal.ts'

const review = reviewOfFiles(
  [
    fileOf('src/login.ts', '@@ -1,20 +1,312 @@\n-gone\n+added \u001b]0;x\u0007line\n', { added: 312, removed: 20 }),
    fileOf('logo.png', 'Binary files a/logo.png and b/logo.png differ\n', {
      added: null,
      removed: null,
      content: 'binary',
    }),
  ],
  {
    candidate: { targetOid: 'aaa', branchOid: 'bbb', mergeOid: 'ccc' },
    from: 'aaa',
    to: 'ccc',
    commits: [{ oid: 'c0ffee0000', author: 'backend-1', at: '2026-01-30T14:00:00.000Z', subject: 'Add login' }],
    tasks: [
      {
        id: 7,
        title: 'Login',
        status: 'completed',
        said: [{ where: 'the result of task 7', text: 'All tests pass.' }],
        criteria: [],
        artifacts: [],
        missing: [],
        lastExit: 0,
      },
    ],
  },
)

const outside: Partial<Outside> = {
  observeWorktrees: () =>
    Promise.resolve([{ name: 'user-auth', ahead: 3, behind: 1, dirty: 2, added: 312, removed: 20 }]),
  measureWorktrees: (names = ['user-auth']) =>
    Promise.resolve(names.map((name) => ({ name, bytes: 432_013_312, complete: false }))),
  reviewWorktree: () => Promise.resolve(review),
}

/** Two worktrees whose folders the loops have created. */
const openWorktrees = async (given: Given = {}): Promise<Terminal> => {
  const terminal = await openTerminal({ ...given, outside: { ...outside, ...given.outside } })
  for (const name of ['payments', 'user-auth']) {
    await terminal.json('worktree', 'create', name, '--branch', `feature/${name}`)
    await terminal.core.store.write((db) => changeWorktree(db, name, { folder: 'building' }, { folder: 'ready' }))
  }
  return terminal
}

const setIntegration = ({ core }: Terminal, status: IntegrationState): Promise<unknown> =>
  core.store.write((db) =>
    changeIntegration(db, 1, 'requested', { status, target_oid: 'aaa', branch_oid: 'bbb', merge_oid: 'ccc' }),
  )

describe('worktrees', () => {
  test('create prints a branch name as text, whatever it contains', async () => {
    const { run } = await openWorktrees()
    expect((await run('worktree', 'create', 'search', '--branch', 'feature/a\u202eb')).out).toContain(
      'feature/a⟨202E⟩b',
    )
  })

  test('create warns about a generic name on a line of its own', async () => {
    const { run } = await openWorktrees()
    expect((await run('worktree', 'create', 'temp', '--branch', 'temp')).out).toMatch(
      /^Worktree temp is on temp in \S+\nwarning: 'temp' does not describe the work\. .+\n$/,
    )
  })

  test('are created on a branch from a source', async () => {
    const { json, refused, folder } = await openWorktrees()
    expect(
      await json('worktree', 'create', 'search', '--branch', 'feature/search', '--source', 'develop'),
    ).toMatchObject({
      name: 'search',
      branchName: 'feature/search',
      sourceBranch: 'develop',
      path: `${folder}/search`,
      status: 'active',
      integration: null,
    })
    expect(await refused('worktree', 'create', 'search', '--branch', 'other')).toMatchObject({
      exit: 1,
      code: 'already_exists',
    })
    expect(await refused('worktree', 'create', 'bad name', '--branch', 'other')).toMatchObject({
      exit: 1,
      code: 'invalid_name',
    })
  })

  test('are listed in every state, with their git status', async () => {
    const { json, run } = await openWorktrees()
    const list = await json<unknown[]>('worktree', 'list')
    expect(list).toMatchObject([
      { name: 'payments', ahead: null, behind: null, dirty: null, dirtyFiles: null },
      {
        name: 'user-auth',
        branchName: 'feature/user-auth',
        status: 'active',
        integrationTarget: null,
        ahead: 3,
        behind: 1,
        dirty: true,
        dirtyFiles: 2,
        integration: null,
      },
    ])
    expect(await json('worktree', 'show', 'user-auth')).toEqual(list[1])
    expect((await run('worktree', 'list')).out).toContain(
      'user-auth  feature/user-auth  active      3       1      2     –  ≥412M  –\n',
    )
  })

  test('are listed with their hosts when one is on another host than the first', async () => {
    const { core, run } = await openWorktrees()
    expect((await run('worktree', 'list')).out).not.toContain('HOST')
    const { secret } = await perform(core, makeJoinCode, {}, system())
    await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'build-2', machine: 'm', root: '/b' }, system())
    await core.store.write((db) => changeWorktree(db, 'user-auth', { folder: 'ready' }, { host_id: 'bbbbbbbb' }))
    expect((await run('worktree', 'list')).out).toMatch(/^user-auth +feature\/user-auth +build-2 +active/m)
    expect((await run('worktree', 'show', 'user-auth')).out).toMatch(/^host +build-2$/m)
  })

  test('have a port and a size', async () => {
    const { core, json, run } = await openWorktrees()
    await perform(core, leasePort, { worktreeName: 'user-auth', purpose: 'work', port: 41_007 }, system())
    expect(await json('worktree', 'list')).toMatchObject([
      { port: null, sizeBytes: null, sizeComplete: null },
      { port: 41_007, sizeBytes: 432_013_312, sizeComplete: false },
    ])
    expect((await run('worktree', 'show', 'user-auth')).out).toMatch(/^port +41007\nsize +≥412M$/m)
    expect((await run('worktree', 'list')).out).toContain('2  41007  ≥412M  –\n')
  })

  test('say since when their commits and uncommitted files are on the git remote', async () => {
    const { core, json, run } = await openWorktrees()
    expect(await json('worktree', 'show', 'user-auth')).not.toHaveProperty('safeAsOf')
    await perform(core, recordPushed, { worktree: 'user-auth', oid: 'a'.repeat(40) }, system())
    expect((await run('worktree', 'show', 'user-auth')).out).toMatch(/^safe as of +\d{4}-\d\d-\d\d [\d:]{8} \S+$/m)
    await perform(core, recordSnapshot, { worktree: 'user-auth', oid: 'b'.repeat(40) }, system())
    expect((await run('worktree', 'show', 'user-auth')).out).toMatch(/^safe as of .*; uncommitted files \d{4}-/m)
    expect(await json('worktree', 'list')).toMatchObject([
      { name: 'payments' },
      { name: 'user-auth', safeAsOf: { commits: core.clock(), uncommitted: core.clock() } },
    ])
  })

  test('show the escaped commits and files that they would merge', async () => {
    const { json, run, refused } = await openWorktrees()
    expect(await json('worktree', 'diff', 'user-auth')).toMatchObject({
      name: 'user-auth',
      from: 'aaa',
      to: 'ccc',
      totals: { files: 2, added: 312, removed: 20, commits: 1 },
      commits: review.commits,
      files: [
        { path: 'logo.png', added: null, risks: [{ kind: 'binary' }] },
        { path: 'src/login.ts', added: 312, removed: 20, risks: [] },
      ],
      uncommitted: ['notes.txt'],
      claims: [
        { taskId: 7, says: 'the result of task 7 says “All tests pass.”', fact: 'no verification ran', agrees: null },
      ],
      cut: false,
    })
    const { out } = await run('worktree', 'diff', 'user-auth')
    for (const words of [
      '2 files, +312 −20, 1 commit, from aaa to ccc',
      'binary: it is binary; its content cannot be shown',
      'c0ffee000  Add login (backend-1)',
      '? task 7: the result of task 7 says “All tests pass.”',
    ])
      expect(out).toContain(words)
    expect(out).toMatch(/\+added ⟨001B⟩\]0;x⟨0007⟩line\n$/)
    expect(await refused('worktree', 'diff', 'nowhere')).toMatchObject({ exit: 1, code: 'not_found' })
  })

  test('are requested for integration and rejected', async () => {
    const { json, refused } = await openWorktrees()
    expect(await refused('worktree', 'reject', 'user-auth', '--reason', 'no')).toMatchObject({
      exit: 1,
      code: 'invalid_state',
    })
    expect(await json('worktree', 'request', 'user-auth', '--target', 'develop')).toMatchObject({
      integration: { status: 'requested', target: 'develop' },
    })
    expect(await json('worktree', 'reject', 'user-auth', '--reason', 'tests are missing')).toMatchObject({
      integration: { status: 'rejected', problem: 'tests are missing' },
    })
    expect(await json('status')).toMatchObject({
      worktrees: [
        { name: 'payments', ahead: null },
        { name: 'user-auth', ahead: 3 },
      ],
    })
  })
})

test('a moved worktree is reported in the list, in its details and in the status', async () => {
  const why = "its folder was moved to /elsewhere; 'git worktree move -f -f /elsewhere /shop/payments' moves it back"
  const asked: unknown[] = []
  const terminal = await openWorktrees({
    outside: { absentWorktrees: (names) => (asked.push(names), Promise.resolve([{ name: 'payments', why }])) },
  })
  expect((await terminal.run('worktree', 'list')).out).toContain(`payments: ${why}`)
  expect(await terminal.json('worktree', 'list')).toMatchObject([
    { name: 'payments', dirty: null, unread: why },
    { name: 'user-auth', dirty: true, unread: null },
  ])
  expect((await terminal.run('worktree', 'show', 'payments')).out).toContain(why)
  expect(asked.slice(-1)).toEqual([['payments']])
  expect(await terminal.json('status')).toMatchObject({
    worktrees: [{ name: 'payments', unread: why }, { name: 'user-auth' }],
  })
})

describe('approval', () => {
  test('requires a terminal, and names the two other ways', async () => {
    const terminal = await openWorktrees()
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    const { exit, code, message } = await terminal.refused('worktree', 'approve', 'user-auth')
    expect({ exit, code }).toEqual({ exit: 1, code: 'needs_terminal' })
    expect(message).toContain('the console')
    expect(message).toContain('integration.approval: auto')
  })

  test('merges exactly the shown commits after the name is typed', async () => {
    const questions: string[] = []
    const terminal = await openWorktrees({
      streams: { stdinIsTerminal: true, ask: (question) => (questions.push(question), Promise.resolve('user-auth')) },
    })
    await terminal.json('agent', 'register', 'backend-1', '--persona', 'implementer', '--worktree', 'user-auth')
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    const said = await terminal.run('worktree', 'approve', 'user-auth')
    expect(said.code).toBe(0)
    for (const shown of ['Add login', '+312', 'src/login.ts', 'notes.txt', 'backend-1', 'as commit ccc'])
      expect(said.out).toContain(shown)
    expect(questions).toEqual(['Merge user-auth into main? Type the name of the worktree: '])
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({
      integration: { status: 'approved', approvedBy: 'human' },
    })
  })

  test.each([
    [
      'is in the way of what a person changed',
      'held',
      'a.txt would be overwritten, so main could not be moved in /shop.',
      'target_dirty',
      'ready',
    ],
    ['has no trusted configuration any more', 'held', CONFIGURATION_CHANGED, 'configuration_changed', 'ready'],
    [
      'fails with what landed before it',
      'failed',
      'user-auth fails its verification on top of what was merged into main.',
      'approval_void',
      'unverified',
    ],
  ] as const)('of a merge that %s is refused with an exit code', async (_, kind, problem, code, status) => {
    const terminal: Terminal = await openWorktrees({
      streams: { stdinIsTerminal: true, ask: () => Promise.resolve('user-auth') },
      outside: {
        carryOut: async ({ kind: wish }) => {
          if (wish !== 'land_integration') return
          const outcome = kind === 'held' ? { kind, problem } : { kind, problem, verification: null }
          await perform(terminal.core, recordMove, { id: 1, outcome }, system())
        },
      },
    })
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    expect(await terminal.refused('worktree', 'approve', 'user-auth')).toEqual({ exit: 1, code, message: problem })
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({
      status: 'active',
      integration: { status, problem, approvedBy: null },
    })
  })

  test('is not given if something else is typed', async () => {
    const terminal = await openWorktrees({ streams: { stdinIsTerminal: true, ask: () => Promise.resolve('y') } })
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    expect(await terminal.run('worktree', 'approve', 'user-auth')).toMatchObject({
      code: 1,
      err: "'user-auth' was not typed, so nothing was done.\n",
    })
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({ integration: { status: 'ready' } })
  })

  test('with --json is refused as one JSON value if something else is typed', async () => {
    const above: string[] = []
    const terminal = await openWorktrees({
      streams: { stdinIsTerminal: true, ask: (_, shown) => (above.push(shown), Promise.resolve('y')) },
    })
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    expect(await terminal.refused('worktree', 'approve', 'user-auth')).toEqual({
      exit: 1,
      code: 'not_allowed',
      message: "'user-auth' was not typed, so nothing was done.",
    })
    expect(above.join()).toContain('src/login.ts')
  })

  test('is not given on Ctrl-C', async () => {
    const terminal = await openWorktrees({
      streams: { stdinIsTerminal: true, ask: () => Promise.reject(new DOMException('aborted', 'AbortError')) },
    })
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    expect(await terminal.run('worktree', 'approve', 'user-auth')).toMatchObject({ code: 1 })
  })

  test('is never given by an agent, with or without a terminal', async () => {
    const terminal = await openWorktrees({
      environment: { AISWARM_AGENT_ID: 'backend-1' },
      streams: { stdinIsTerminal: true, ask: () => Promise.resolve('user-auth') },
    })
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'ready')
    expect(await terminal.refused('worktree', 'approve', 'user-auth')).toEqual({
      exit: 1,
      code: 'not_allowed',
      message: 'Agent backend-1 may not approve user-auth; only a person may do it.',
    })
  })

  test('of a conflict is refused with a message about the conflict', async () => {
    const terminal = await openWorktrees()
    await terminal.json('worktree', 'request', 'user-auth')
    await setIntegration(terminal, 'conflicted')
    expect(await terminal.refused('worktree', 'approve', 'user-auth')).toMatchObject({ exit: 1, code: 'conflicted' })
  })
})

describe('discarding', () => {
  const census = (...beyond: string[]): Partial<Outside> => ({
    census: () =>
      Promise.resolve({ ...emptyCensus, uncommitted: ['notes.txt'], commits: 3, ignored: ['.key'], beyond }),
  })

  test('requires a terminal unless nothing can be lost', async () => {
    const terminal = await openWorktrees({ outside: census() })
    expect(await terminal.refused('worktree', 'discard', 'user-auth', '--reason', 'stale')).toMatchObject({
      exit: 1,
      code: 'needs_terminal',
    })
    expect(
      await terminal.json('worktree', 'discard', 'user-auth', '--reason', 'stale', '--lose-nothing'),
    ).toMatchObject({ status: 'discarded', discardReason: 'stale' })
    expect(
      await terminal.refused('worktree', 'discard', 'user-auth', '--reason', 'again', '--lose-nothing'),
    ).toMatchObject({ exit: 1, code: 'invalid_state' })
    expect(await terminal.json('worktree', 'list')).toMatchObject([{ status: 'active' }, { status: 'discarded' }])
  })

  test('with --lose-nothing names what the archive would not contain', async () => {
    const terminal = await openWorktrees({ outside: census('.env', 'build/out.bin') })
    const { exit, code, message } = await terminal.refused(
      'worktree',
      'discard',
      'user-auth',
      '--reason',
      'stale',
      '--lose-nothing',
    )
    expect({ exit, code }).toEqual({ exit: 1, code: 'would_lose_work' })
    expect(message).toContain('.env, build/out.bin')
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({ status: 'active' })
  })

  test('with --json is refused as one JSON value if something else is typed', async () => {
    const terminal = await openWorktrees({
      outside: census('.env'),
      streams: { stdinIsTerminal: true, ask: () => Promise.resolve('y') },
    })
    expect(await terminal.refused('worktree', 'discard', 'user-auth', '--reason', 'stale')).toMatchObject({
      exit: 1,
      code: 'not_allowed',
    })
  })

  test('lists what it would delete before it asks', async () => {
    const terminal = await openWorktrees({
      outside: census('.env'),
      streams: { stdinIsTerminal: true, ask: () => Promise.resolve('user-auth') },
    })
    await terminal.json('task', 'add', 'Login form', '--persona', 'implementer', '--worktree', 'user-auth')
    const said = await terminal.run('worktree', 'discard', 'user-auth', '--reason', 'stale')
    expect(said.code).toBe(0)
    for (const shown of ['notes.txt', '3 commits', '.env', '.key', '1  Login form']) expect(said.out).toContain(shown)
    expect(await terminal.json('task', 'show', '1')).toMatchObject({ status: 'cancelled' })
  })

  test('reports that the target already has the work', async () => {
    const held = { ...emptyCensus, landed: { target: 'main', how: 'squashed', commits: 3, picked: 0 } as const }
    const terminal = await openWorktrees({
      outside: { census: () => Promise.resolve(held) },
      streams: { stdinIsTerminal: true, ask: () => Promise.resolve('user-auth') },
    })
    expect((await terminal.run('worktree', 'discard', 'user-auth', '--reason', 'stale')).out).toContain(
      'Its work is already in main, squashed into one commit.',
    )
  })

  test('stops and cancels nothing while a process uses the folder', async () => {
    const held = { ...emptyCensus, processes: [{ pid: 4711, name: 'vim', ours: false }] }
    const terminal = await openWorktrees({ outside: { census: () => Promise.resolve(held) } })
    expect(await terminal.refused('worktree', 'discard', 'user-auth', '--reason', 'stale', '--lose-nothing')).toEqual({
      exit: 1,
      code: 'folder_in_use',
      message: 'Process 4711 (vim) runs in its folder; end it or leave the folder, then discard user-auth again.',
    })
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({ status: 'active' })
  })

  test('has no option --yes', async () => {
    const terminal = await openWorktrees()
    expect(await terminal.refused('worktree', 'discard', 'user-auth', '--reason', 'stale', '--yes')).toMatchObject({
      exit: 2,
    })
    expect(await terminal.refused('worktree', 'approve', 'user-auth', '--yes')).toMatchObject({ exit: 2 })
  })
})

describe('restoring', () => {
  const discarded = async (given: Given = {}): Promise<Terminal> => {
    const terminal = await openWorktrees({
      ...given,
      outside: { census: () => Promise.resolve(emptyCensus), ...given.outside },
    })
    await terminal.json('worktree', 'discard', 'user-auth', '--reason', 'stale', '--lose-nothing')
    await perform(
      terminal.core,
      recordRemoval,
      { name: 'user-auth', archiveRef: 'refs/aiswarm/archive/user-auth/1', trashPath: '/trash/user-auth' },
      system(),
    )
    return terminal
  }

  test('creates the worktree of the archive, and prints its path', async () => {
    const terminal = await discarded()
    expect(await terminal.json('worktree', 'restore', 'user-auth')).toMatchObject({ name: 'user-auth' })
    expect(await perform(terminal.core, readWishes, {}, system())).toMatchObject({
      restores: [{ worktree: 'user-auth', branch: 'feature/user-auth', ref: 'refs/aiswarm/archive/user-auth/1' }],
    })
    await perform(
      terminal.core,
      recordRestore,
      { name: 'user-auth', branch: 'feature/user-auth', error: null },
      system(),
    )
    expect(await terminal.json('worktree', 'show', 'user-auth')).toMatchObject({
      status: 'active',
      folder: 'ready',
      discardReason: null,
    })
    expect(await terminal.refused('worktree', 'restore', 'user-auth')).toMatchObject({ exit: 1, code: 'invalid_state' })
  })

  test('requires a branch that no other worktree uses', async () => {
    const terminal = await discarded()
    await terminal.json('worktree', 'create', 'second', '--branch', 'feature/user-auth')
    expect(await terminal.refused('worktree', 'restore', 'user-auth')).toEqual({
      exit: 1,
      code: 'already_exists',
      message: 'Branch feature/user-auth is already used by worktree second. Name another one with --branch.',
    })
    expect(await terminal.json('worktree', 'restore', 'user-auth', '--branch', 'again')).toMatchObject({
      name: 'user-auth',
    })
    expect(await terminal.refused('worktree', 'create', 'third', '--branch', 'again')).toMatchObject({
      exit: 1,
      code: 'already_exists',
    })
  })

  test('of an unknown worktree is refused, unless the repository has its archive', async () => {
    const asked: string[] = []
    const terminal = await openWorktrees({
      services: { adoptArchive: (_, name) => Promise.resolve(asked.push(name) > 9) },
    })
    expect(await terminal.refused('worktree', 'restore', 'lost')).toMatchObject({ exit: 1, code: 'not_found' })
    expect(asked).toEqual(['lost'])
  })

  test('the sweep prints what it removed and what it kept', async () => {
    const swept = { removed: ['/trash/a'], kept: [{ path: '/trash/b', why: 'its archive is gone' }] }
    const terminal = await openWorktrees({ services: { sweepTrash: () => Promise.resolve(swept) } })
    expect(await terminal.json('worktree', 'sweep')).toEqual(swept)
    expect((await terminal.run('worktree', 'sweep')).out).toBe(
      '1 folder removed from the trash:\n/trash/a\n/trash/b is kept: its archive is gone\n',
    )
  })
})
