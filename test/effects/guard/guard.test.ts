import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { checkGuard } from '../../../src/effects/guard/guard.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { trustConfiguration } from '../../../src/operations/integration/drift-answers.ts'
import { refused } from '../../support/core.ts'
import { ofDay } from '../../support/dose.ts'
import { commit, git, openSwarm, sh, type Swarm, write } from '../swarm.ts'

const prepared = async () => {
  const swarm = await openSwarm({ files: { 'a.txt': 'one\ntwo\n' } })
  const folder = await swarm.build('auth')
  commit(folder, { 'a.txt': 'one\ntwo\nthree\n' })
  return { swarm, folder }
}

const request = async (swarm: Swarm) =>
  (await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })).integration!

const approval = async (swarm: Swarm) => {
  const { targetOid, branchOid, mergeOid } = (await swarm.worktree('auth')).integration!
  return { worktreeName: 'auth', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
}

const changes = async (swarm: Swarm) => (await perform(swarm.core, readGuard, {}, person))!.changed

/** Ways to change what git obeys, each with the lines that report it. */
const whatGitObeys: readonly [string, (root: string, folder: string) => void, readonly string[]][] = [
  [
    'a merge driver',
    (_, folder) => git(folder, 'config', 'merge.evil.driver', 'touch /tmp/x'),
    ['+ config merge.evil.driver = touch /tmp/x'],
  ],
  [
    'another format of git-lfs',
    (_, folder) => git(folder, 'config', 'lfs.repositoryformatversion', '1'),
    ['+ config lfs.repositoryformatversion = 1'],
  ],
  [
    'an access of git-lfs that there is not',
    (_, folder) => git(folder, 'config', 'lfs.x.access', '!sh'),
    ['+ config lfs.x.access = !sh'],
  ],
  [
    'a setting of a file that it includes',
    (root, folder) => {
      write(root, { '../more.config': '[alias]\n\tst = !echo hi\n' })
      git(folder, 'config', 'include.path', join(root, '../more.config'))
    },
    ['+ config alias.st = !echo hi'],
  ],
  [
    'a hook',
    (root) => sh(root, "printf '#!/bin/sh\\nrm -rf x\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
    ['+ hooks/pre-commit, executable:', '+   #!/bin/sh', '+   rm -rf x'],
  ],
  [
    'attributes',
    (root) => write(root, { '.git/info/attributes': '* merge=evil\n' }),
    ['+ info/attributes:', '+   * merge=evil'],
  ],
  [
    'the settings of a worktree',
    (_, folder) =>
      sh(folder, 'git config extensions.worktreeConfig true; git config --worktree core.hooksPath /tmp/hooks'),
    ['+ config core.hookspath (worktree auth) = /tmp/hooks'],
  ],
  ...[
    'remote.origin.uploadpack',
    'url./tmp/other.insteadof',
    'credential.helper',
    'http.proxy',
    'core.sshcommand',
    'core.gitproxy',
  ].map((key): [string, (root: string) => void, readonly string[]] => [
    `${key}, with which git reaches a remote`,
    (root) => git(root, 'config', key, '/tmp/x'),
    [`+ config ${key} = /tmp/x`],
  ]),
  ['grafts', (root) => write(root, { '.git/info/grafts': 'x\n' }), ['+ info/grafts:']],
  [
    'a change of an old value',
    (root) => git(root, 'config', 'user.name', 'Eve'),
    ['- config user.name = Ada', '+ config user.name = Eve'],
  ],
  [
    'a hook of bytes',
    (root) => write(root, { '.git/hooks/post-commit': 'a\0b' }),
    ['+ hooks/post-commit:', '+   a\ufffdb', expect.stringMatching(/^\+ {3}… 3 bytes, sha256 [0-9a-f]{64}$/) as string],
  ],
  [
    'a link in place of a hook',
    (root) => symlinkSync('/bin/true', join(root, '.git/hooks/post-merge')),
    ['+ hooks/post-merge:'],
  ],
]

describe('an agent that changes what git obeys', () => {
  it.each(ofDay(whatGitObeys, 3))('stops integrations until a person accepts it: %s', async (_, change, lines) => {
    const { swarm, folder } = await prepared()
    change(swarm.root, folder)
    const { status, problem } = await request(swarm)
    expect([status, problem]).toEqual([
      'requested',
      expect.stringContaining(
        "The repository's git configuration, hooks or attributes, or aiswarm's own configuration, have changed",
      ),
    ])
    const changed = (await changes(swarm))!
    expect(changed.lines).toEqual(expect.arrayContaining([...lines]))
    expect(await refused(swarm.turn())).toBe('configuration_changed')
    expect((await swarm.worktree('auth')).integration!.status).toBe('requested')
    await perform(swarm.core, trustConfiguration, { hash: changed.hash }, person)
    expect(await request(swarm)).toMatchObject({ status: 'ready', problem: null })
    expect(await changes(swarm)).toBeNull()
  })

  it('is reported as soon as its run has ended', async () => {
    const swarm = await openSwarm()
    const attention = async () => (await perform(swarm.core, readBoard, {}, person)).attention.map(({ kind }) => kind)
    expect((await swarm.carryOut('true')).status).toBe('completed')
    expect(await attention()).toEqual([])
    expect((await swarm.carryOut('git config core.fsmonitor /tmp/x')).status).toBe('completed')
    expect(await attention()).toEqual(['configuration'])
    expect((await changes(swarm))!.lines).toEqual(['+ config core.fsmonitor = /tmp/x'])
  })

  it('after a merge is ready prevents its approval, and the move of an approved merge', async () => {
    const { swarm, folder } = await prepared()
    await request(swarm)
    await perform(swarm.core, approveIntegration, await approval(swarm), person)
    const trace = join(swarm.root, '../driver-ran')
    write(swarm.root, { '.git/info/attributes': '*.txt merge=evil filter=evil\n' })
    git(folder, 'config', 'merge.evil.driver', `touch '${trace}'`)
    git(folder, 'config', 'filter.evil.smudge', `touch '${trace}'; cat`)
    const main = git(swarm.root, 'rev-parse', 'main')
    await landQueue(swarm.world, 'main')
    expect((await swarm.worktree('auth')).integration).toMatchObject({ status: 'ready', approvedBy: null })
    expect(await refused(approval(swarm).then((input) => perform(swarm.core, approveIntegration, input, person)))).toBe(
      'configuration_changed',
    )
    expect([git(swarm.root, 'rev-parse', 'main'), existsSync(trace)]).toEqual([main, false])
  })

  it('and reverts the change causes no report', async () => {
    const { swarm, folder } = await prepared()
    git(folder, 'config', 'merge.evil.driver', 'x')
    expect((await request(swarm)).status).toBe('requested')
    git(folder, 'config', '--remove-section', 'merge.evil')
    await swarm.turn()
    expect(await changes(swarm)).toBeNull()
    await swarm.turn()
    expect((await request(swarm)).status).toBe('ready')
  })

  it('with bytes that no row can have is compared as the row has it', async () => {
    const { swarm } = await prepared()
    write(swarm.root, { '.git/hooks/post-commit': 'a\0b' })
    expect(await checkGuard(swarm.world)).toBe(false)
    await perform(swarm.core, trustConfiguration, { hash: (await changes(swarm))!.hash }, person)
    write(swarm.root, { '.aiswarm/config.yaml': 'session: {maxParallel: 2}\n' })
    expect(await checkGuard(swarm.world)).toBe(true)
    expect(await changes(swarm)).toBeNull()
  })

  it('again after it was shown invalidates the acceptance', async () => {
    const { swarm, folder } = await prepared()
    git(folder, 'config', 'merge.evil.driver', 'x')
    expect(await checkGuard(swarm.world)).toBe(false)
    const { hash } = (await changes(swarm))!
    git(folder, 'config', 'merge.evil.driver', 'y')
    expect(await checkGuard(swarm.world)).toBe(false)
    expect(await refused(perform(swarm.core, trustConfiguration, { hash }, person))).toBe('approval_void')
    expect((await changes(swarm))!.lines).toContain('+ config merge.evil.driver = y')
  })
})

it.each([
  [
    'a branch that follows another',
    'git config branch.main.remote origin; git config branch.main.merge refs/heads/main',
  ],
  [
    'what a clone, `git remote` and the tools of a forge write',
    'git remote add -t main -f origin . && git config remote.pushDefault origin && git config remote.origin.gh-resolved base',
  ],
  ['a new branch and a tag', 'git branch other; git tag v1'],
  [
    'the configuration that git-lfs writes',
    'git config lfs.repositoryformatversion 0; git config lfs.https://example.com/x.git/info/lfs.access basic',
  ],
  [
    'a sample of a hook',
    'cp .git/hooks/pre-commit.sample .git/hooks/x.sample 2>/dev/null || echo x > .git/hooks/x.sample',
  ],
])('%s affects no integration and needs no acceptance', async (_, script) => {
  const { swarm } = await prepared()
  sh(swarm.root, script)
  expect((await request(swarm)).status).toBe('ready')
})

it('only a person accepts a changed configuration, and only an existing change', async () => {
  const { swarm } = await prepared()
  const agent = { kind: 'agent', id: 'x', role: 'planner', worktree: null } as const
  expect(await refused(perform(swarm.core, trustConfiguration, { hash: 'x' }, agent))).toBe('not_allowed')
  expect(await refused(perform(swarm.core, trustConfiguration, { hash: 'x' }, person))).toBe('invalid_state')
})
