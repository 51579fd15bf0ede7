import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import { approveIntegration, undoIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { refusal, refused } from '../../support/core.ts'
import { commit, git, openSwarm, read, repository, sh, type Swarm, write } from '../swarm.ts'

const names = async (swarm: Swarm): Promise<readonly string[]> =>
  (await perform(swarm.core, getWorktreeStatus, {}, person)).map(({ name }) => name)
const branches = (swarm: Swarm): readonly string[] => git(swarm.root, 'branch', '--format=%(refname:short)').split('\n')

describe('a worktree is created', () => {
  it('next to the repository with a new branch of main, locked with a reason', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    expect(folder).toBe(join(swarm.root, '../auth'))
    expect(git(folder, 'symbolic-ref', '--short', 'HEAD')).toBe('feature/auth')
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(swarm.root, 'rev-parse', 'main'))
    expect((await checkouts(swarm.root))[1]).toEqual({
      path: folder,
      branch: 'refs/heads/feature/auth',
      lock: 'aiswarm works here: worktree auth',
    })
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready', status: 'active' })
    expect(git(swarm.root, 'config', '--get', '--default', 'none', 'branch.feature/auth.merge')).toBe('none')
  })

  it('on an existing branch, at its commit', async () => {
    const swarm = await openSwarm()
    sh(swarm.root, 'git checkout -qb feature/auth; echo x > x; git add x; git commit -qm X; git checkout -q main')
    expect(existsSync(join(await swarm.build('auth'), 'x'))).toBe(true)
  })

  it('from the branch, if a tag has the same name', async () => {
    const swarm = await openSwarm()
    git(swarm.root, 'tag', 'develop')
    git(swarm.root, 'checkout', '--quiet', '-b', 'develop')
    const tip = commit(swarm.root, { later: 'x' })
    git(swarm.root, 'checkout', '--quiet', 'main')
    const { path } = await act(swarm.connection, createWorktree, {
      name: 'auth',
      branchName: 'feature/auth',
      sourceBranch: 'develop',
    })
    expect(git(path, 'rev-parse', 'HEAD')).toBe(tip)
  })

  it('from a shallow clone, from a sparse checkout, and from a repository with submodules', async () => {
    const far = repository({ 'a/x': 'x', 'b/y': 'y' })
    commit(far, { 'a/x': 'x2' })
    sh(far, `git -c protocol.file.allow=always submodule --quiet add ./ sub; git commit -qm Sub`)
    sh(
      far,
      `git clone -q --depth 1 --no-local 'file://${far}' ../shallow; cd ../shallow; git config user.name A; git config user.email a@b; git sparse-checkout set a`,
    )
    const swarm = await openSwarm({ root: join(far, '../shallow') })
    const folder = await swarm.build('auth')
    expect([
      existsSync(join(folder, 'a/x')),
      existsSync(join(folder, 'b/y')),
      readdirSync(join(folder, 'sub')),
    ]).toEqual([true, false, []])
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('without running a hook of the repository', async () => {
    const swarm = await openSwarm()
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'post-commit']) {
      write(swarm.root, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> '${swarm.path('../ran')}'\nexit 1\n` })
      sh(swarm.root, `chmod +x .git/hooks/${hook}`)
    }
    await swarm.build('auth')
    expect(existsSync(swarm.path('../ran'))).toBe(false)
  })

  it('despite a lock of the main checkout, which stays', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { '.git/index.lock': '', '.git/config.lock': '' })
    await swarm.build('auth')
    expect([existsSync(swarm.path('.git/index.lock')), existsSync(swarm.path('.git/config.lock'))]).toEqual([
      true,
      true,
    ])
  })

  it('in the configured place, with the necessary folders', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {path: "../work/of shop/{name}"}\n' })
    expect(await swarm.build('auth')).toBe(join(swarm.root, '../work/of shop/auth'))
    expect(read(swarm.root, '../work/of shop/auth/README.md')).toBe('a shop\n')
  })

  it('ten times at once, over the connections of three processes', async () => {
    const swarm = await openSwarm()
    const worlds = [swarm.world, await swarm.open(), await swarm.open()]
    const wishes = Array.from({ length: 10 }, (_, i) =>
      act({ core: worlds[i % 3]!.core, actor: person, outside: outsideOf(worlds[i % 3]!) }, createWorktree, {
        name: `w${i}`,
        branchName: `b${i}`,
      }),
    )
    expect((await Promise.all(wishes)).map(({ folder }) => folder)).toEqual(Array.from({ length: 10 }, () => 'ready'))
    expect(await checkouts(swarm.root)).toHaveLength(11)
    expect(sh(swarm.root, 'cat ../w*/README.md').split('\n')).toHaveLength(10)
  })
})

describe('a worktree that cannot be created leaves no row and says why:', () => {
  it('its path exists, and is not changed', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('path_exists')
    expect(message).toBe(`${join(swarm.root, '../auth')} already exists; choose another worktree name or move it away.`)
    expect(read(swarm.root, '../auth/mine.txt')).toBe('mine')
    expect(await names(swarm)).toEqual([])
    expect(branches(swarm)).toEqual(['main'])
  })

  it("its path is a person's own worktree of the same branch", async () => {
    const swarm = await openSwarm()
    git(swarm.root, 'worktree', 'add', '--quiet', '-b', 'feature/auth', '../auth')
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    expect((await refusal(swarm.build('auth'))).code).toBe('path_exists')
    expect(read(swarm.root, '../auth/mine.txt')).toBe('mine')
  })

  it('its branch is checked out elsewhere', async () => {
    const swarm = await openSwarm()
    const { code, message } = await refusal(swarm.build('auth', 'main'))
    expect(code).toBe('invalid_state')
    expect(message).toBe(
      `The branch main is checked out in ${swarm.root}; choose another branch, or switch that checkout to one.`,
    )
    expect(await names(swarm)).toEqual([])
    expect(existsSync(join(swarm.root, '../auth'))).toBe(false)
  })

  it('its branch belongs to a checkout whose folder was deleted by hand', async () => {
    const swarm = await openSwarm()
    git(swarm.root, 'worktree', 'add', '--quiet', '-b', 'feature/auth', '../old')
    rmSync(swarm.path('../old'), { recursive: true })
    expect((await refusal(swarm.build('auth'))).message).toContain(
      "that folder is gone, so run 'git worktree prune' and try again.",
    )
    git(swarm.root, 'worktree', 'prune')
    await swarm.build('auth')
  })

  it('a dangling link is in its place, and is not written through', async () => {
    const swarm = await openSwarm()
    symlinkSync('nowhere', swarm.path('../auth'))
    expect((await refusal(swarm.build('auth'))).code).toBe('path_exists')
    expect(existsSync(swarm.path('../nowhere'))).toBe(false)
  })

  it('another git has locked its branch; the lock stays, and the next try without it works', async () => {
    const swarm = await openSwarm()
    const lock = swarm.path('.git/refs/heads/feature/auth.lock')
    write(swarm.root, { '.git/refs/heads/feature/auth.lock': '' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('git_failed')
    expect(message).toBe(
      `${lock} exists, so another git process is running or was killed; wait for it, or remove that file if none is running, and try again.`,
    )
    expect(existsSync(lock)).toBe(true)
    expect(await names(swarm)).toEqual([])
    rmSync(lock)
    await swarm.build('auth')
  })

  it('its folder cannot be created', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {path: "../file/{name}"}\n' })
    write(swarm.root, { '../file': 'no folder' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('not_writable')
    expect(message).toContain(`${swarm.path('../file/auth')} could not be created`)
    expect(branches(swarm)).toEqual(['main'])
  })

  it('a filter of the configuration is not installed', async () => {
    const root = repository({ '.gitattributes': '*.bin filter=lfs\n', 'a.bin': 'pointer\n' })
    git(root, 'config', 'filter.lfs.process', 'no-such-lfs filter-process')
    git(root, 'config', 'filter.lfs.required', 'true')
    const swarm = await openSwarm({ root })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('git_failed')
    expect(message).toMatch(/^A git filter for files of feature\/auth fails \(no-such-lfs.*\); install its program/)
    expect([
      existsSync(swarm.path('../auth')),
      await checkouts(swarm.root).then(({ length }) => length),
      branches(swarm),
    ]).toEqual([false, 1, ['main']])
  })

  it('a filter came into the configuration since a person last checked it, and does not run', async () => {
    const swarm = await openSwarm({ files: { '.gitattributes': '*.md filter=evil\n', 'README.md': 'x' } })
    git(swarm.root, 'config', 'filter.evil.smudge', `touch '${swarm.path('../ran')}'; cat`)
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('configuration_changed')
    expect(message).toContain("'aiswarm worktree trust' shows the lines")
    expect([existsSync(swarm.path('../ran')), existsSync(swarm.path('../auth')), branches(swarm)]).toEqual([
      false,
      false,
      ['main'],
    ])
  })

  it('the branch to fork from does not exist', async () => {
    const swarm = await openSwarm()
    const { message } = await refusal(
      act(swarm.connection, createWorktree, { name: 'auth', branchName: 'a', sourceBranch: 'nowhere' }),
    )
    expect(message).toBe('There is no branch nowhere to fork a from; name one with --source.')
    expect(await names(swarm)).toEqual([])
  })

  it.each(['mkfifo', 'mkdir'])('the list of files to copy is not a file (%s)', async (make) => {
    const swarm = await openSwarm()
    sh(swarm.root, `${make} .worktreeinclude`)
    const { code, message } = await refusal(swarm.build('auth'))
    expect([code, message]).toEqual([
      'setup_failed',
      `${swarm.path('.worktreeinclude')} is not a file, so what it lists cannot be copied; replace it with a file or remove it.`,
    ])
    expect(await names(swarm)).toEqual([])
  })

  it('its setup fails', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "echo installing; echo no network >&2; exit 4"}\n' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('setup_failed')
    expect(message).toContain('ended with exit code 4: no network; see ')
    expect(await names(swarm)).toEqual([])
    expect(branches(swarm)).toEqual(['main'])
    expect(existsSync(join(swarm.root, '../auth'))).toBe(false)
    expect(await checkouts(swarm.root)).toHaveLength(1)
    expect(read(swarm.root, '.aiswarm/logs/setup-auth.log')).toBe('installing\nno network\n')
  })

  it('its setup takes too long', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "sleep 60 | sleep 60", setupTimeout: 200ms}\n' })
    expect((await refusal(swarm.build('auth'))).message).toContain('took longer than 0.2 s')
    expect(await names(swarm)).toEqual([])
  })

  it('its setup failed, with the output of this time, not of the time before', async () => {
    const swarm = await openSwarm({
      config: 'worktrees: {setup: "test -e ../again || { echo first; exit 1; }; exit 2"}\n',
    })
    expect((await refusal(swarm.build('auth'))).message).toContain('ended with exit code 1: first; see ')
    write(swarm.root, { '../again': '' })
    expect((await refusal(swarm.build('auth'))).message).toContain('ended with exit code 2; see ')
  })

  it('its setup failed after a commit on its branch, which keeps the branch', async () => {
    const swarm = await openSwarm({
      config: 'worktrees: {setup: "git -c user.name=A -c user.email=a@b commit -q --allow-empty -m Setup; exit 1"}\n',
    })
    await refusal(swarm.build('auth'))
    expect(branches(swarm)).toEqual(['feature/auth', 'main'])
  })

  it('its setup failed on an existing branch, which stays', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "exit 1"}\n' })
    git(swarm.root, 'branch', 'feature/auth')
    await refusal(swarm.build('auth'))
    expect(branches(swarm)).toEqual(['feature/auth', 'main'])
  })

  it('and its name can be used again', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    await refusal(swarm.build('auth'))
    rmSync(join(swarm.root, '../auth'), { recursive: true })
    await swarm.build('auth')
    expect(await names(swarm)).toEqual(['auth'])
  })
})

describe('before an agent works in a worktree,', () => {
  it('the ignored files in .worktreeinclude are copied, and only those', async () => {
    const swarm = await openSwarm({
      files: {
        '.gitignore': '.env*\nsecret/\nbuilt/\n',
        '.worktreeinclude': '# local settings\n.env\nsecret/\nnotes.txt\n',
        'README.md': 'x',
      },
    })
    write(swarm.root, {
      '.env': 'KEY=1\n',
      '.env.other': 'x',
      'secret/deep/key': 'k',
      'built/a': 'x',
      'notes.txt': 'not ignored',
    })
    mkdirSync(join(swarm.root, 'elsewhere'))
    symlinkSync('../elsewhere', join(swarm.root, 'secret/link'))
    const folder = await swarm.build('auth')
    expect(read(folder, '.env')).toBe('KEY=1\n')
    expect(read(folder, 'secret/deep/key')).toBe('k')
    expect(lstatSync(join(folder, 'secret/link')).isSymbolicLink() && readlinkSync(join(folder, 'secret/link'))).toBe(
      '../elsewhere',
    )
    expect(['.env.other', 'built', 'notes.txt', '.aiswarm'].filter((path) => existsSync(join(folder, path)))).toEqual(
      [],
    )
  })

  it('no file of the branch is overwritten, and no link of it is followed', async () => {
    const swarm = await openSwarm({
      files: {
        '.gitignore': '.env\nconfig/\nsettings\n',
        '.worktreeinclude': '.env\nconfig/\nsettings\n',
        'README.md': 'x',
      },
    })
    sh(
      swarm.root,
      'git checkout -qb feature/auth; echo theirs > .env; mkdir ../outside; ln -s ../outside config; mkdir settings; echo t > settings/t; git add -f .env config settings; git commit -qm Theirs; git checkout -q main',
    )
    write(swarm.root, { '.env': 'mine\n', 'config/key': 'mine\n', settings: 'mine\n' })
    const folder = await swarm.build('auth')
    expect(read(folder, '.env')).toBe('theirs\n')
    expect(existsSync(swarm.path('../outside/key'))).toBe(false)
    expect(read(folder, 'settings/t')).toBe('t\n')
    expect(swarm.warnings).toEqual([
      'Worktree auth was created without some of what .worktreeinclude lists: .env (feature/auth has its own), config/key (config is not a folder on feature/auth), settings (feature/auth has its own).',
    ])
  })

  it('pipes and sockets are left out with a message', async () => {
    const swarm = await openSwarm({
      files: { '.gitignore': 'run/\n.env\n', '.worktreeinclude': '/.env\nrun/\n', 'README.md': 'x' },
    })
    sh(swarm.root, 'mkfifo .env; mkdir run; mkfifo run/deep; echo 1 > run/pid')
    const folder = await swarm.build('auth')
    expect(read(folder, 'run/pid')).toBe('1\n')
    expect(existsSync(join(folder, '.env'))).toBe(false)
    expect(swarm.warnings).toEqual([
      'Worktree auth was created without some of what .worktreeinclude lists: .env (a FIFO), run/deep (a FIFO).',
    ])
  })

  it("the list is parsed like git's own: patterns, folders, exceptions, any depth", async () => {
    const swarm = await openSwarm({
      files: {
        '.gitignore': '*.local\nvendor/\n',
        '.worktreeinclude': '*.local\n!not.local\n/vendor/lib/\n',
        'README.md': 'x',
      },
    })
    write(swarm.root, {
      'a.local': 'a',
      'deep/er/b.local': 'b',
      'not.local': 'n',
      'vendor/lib/x': 'x',
      'vendor/other/y': 'y',
    })
    sh(
      swarm.root,
      'cd vendor/lib; git init -q; git -c user.name=A -c user.email=a@b commit -q --allow-empty -m In; mkdir empty',
    )
    const folder = await swarm.build('auth')
    expect([read(folder, 'a.local'), read(folder, 'deep/er/b.local'), read(folder, 'vendor/lib/x')]).toEqual([
      'a',
      'b',
      'x',
    ])
    expect(git(join(folder, 'vendor/lib'), 'log', '--format=%s')).toBe('In')
    expect([existsSync(join(folder, 'not.local')), existsSync(join(folder, 'vendor/other'))]).toEqual([false, false])
  })

  it('a large file is copied completely, with its mode', async () => {
    const swarm = await openSwarm({
      files: { '.gitignore': 'data.db\n', '.worktreeinclude': 'data.db\n', 'README.md': 'x' },
    })
    sh(swarm.root, 'dd if=/dev/zero of=data.db bs=1M count=40 2>/dev/null; echo end >> data.db; chmod 600 data.db')
    const folder = await swarm.build('auth')
    expect(sh(folder, 'cmp data.db ../shop/data.db; stat -c %a data.db')).toBe('600')
  })

  it('the configured setup runs in it, on its own repository', async () => {
    const swarm = await openSwarm({
      config: 'worktrees: {setup: "git rev-parse --show-toplevel --abbrev-ref HEAD > setup.txt"}\n',
    })
    const folder = await swarm.build('auth')
    expect(read(folder, 'setup.txt')).toBe(`${folder}\nfeature/auth\n`)
  })
})

const integrate = async (swarm: Swarm, name: string): Promise<string> => {
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: name })
  const { targetOid, branchOid, mergeOid, verification } = integration!
  const input = {
    worktreeName: name,
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
    verificationId: verification?.id ?? null,
  }
  await perform(swarm.core, approveIntegration, input, person)
  await landQueue(swarm.world, integration!.target)
  return mergeOid!
}

const undo = (swarm: Swarm, worktreeName?: string) =>
  act(swarm.connection, undoIntegration, worktreeName === undefined ? {} : { worktreeName })

/** A swarm into whose main `auth` and then `pay` were integrated. */
const twice = async () => {
  const swarm = await openSwarm({ files: { shared: '1\n2\n3\n4\n5\n6\n7\n8\n' } })
  commit(await swarm.build('auth'), { auth: 'jwt\n', shared: 'auth\n2\n3\n4\n5\n6\n7\n8\n' })
  const auth = await integrate(swarm, 'auth')
  commit(await swarm.build('pay'), { pay: 'cash\n', shared: 'auth\n2\n3\n4\n5\n6\n7\npay\n' })
  const pay = await integrate(swarm, 'pay')
  return { swarm, auth, pay }
}

describe('the undo', () => {
  it('of the last integration is a new worktree with its revert, and moves nothing by itself', async () => {
    const { swarm, pay } = await twice()
    const worktree = await undo(swarm)
    expect(worktree).toMatchObject({
      name: 'undo-pay',
      branchName: 'aiswarm/undo-pay',
      status: 'active',
      folder: 'ready',
      integrationTarget: 'main',
    })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(pay)
    expect(git(worktree.path, 'rev-parse', 'HEAD^')).toBe(pay)
    expect(git(worktree.path, 'log', '-1', '--format=%B')).toBe(
      `Revert "Integrate worktree pay"\n\nThis reverts the merge ${pay}.`,
    )
    expect([existsSync(join(worktree.path, 'pay')), read(worktree.path, 'shared')]).toEqual([
      false,
      'auth\n2\n3\n4\n5\n6\n7\n8\n',
    ])
    await integrate(swarm, 'undo-pay')
    expect([existsSync(join(swarm.root, 'pay')), existsSync(join(swarm.root, 'auth'))]).toEqual([false, true])
    expect(git(swarm.root, 'merge-base', '--is-ancestor', pay, 'main')).toBe('')
  })

  it('of an earlier integration keeps later changes', async () => {
    const { swarm } = await twice()
    commit(swarm.root, { later: 'x\n' })
    const { name, path } = await undo(swarm, 'auth')
    expect([existsSync(join(path, 'auth')), read(path, 'pay'), read(path, 'shared'), read(path, 'later')]).toEqual([
      false,
      'cash\n',
      '1\n2\n3\n4\n5\n6\n7\npay\n',
      'x\n',
    ])
    await integrate(swarm, name)
    expect(read(swarm.root, 'shared')).toBe('1\n2\n3\n4\n5\n6\n7\npay\n')
  })

  it('that conflicts with later changes says where, and leaves nothing', async () => {
    const { swarm } = await twice()
    commit(swarm.root, { shared: 'other\n2\n3\n4\n5\n6\n7\npay\n' })
    expect((await refusal(undo(swarm, 'auth'))).message).toBe(
      'Undoing auth conflicts with later changes in shared; create a task for it instead.',
    )
    expect(git(swarm.root, 'branch', '--list', 'aiswarm/*')).toBe('')
    expect(existsSync(join(swarm.root, '../undo-auth'))).toBe(false)
    expect(git(swarm.root, 'worktree', 'list')).not.toContain('undo-auth')
  })

  it('runs no untrusted merge driver, and says so', async () => {
    const { swarm } = await twice()
    const trace = join(swarm.root, '../ran')
    git(swarm.root, 'config', 'merge.evil.driver', `touch '${trace}'`)
    write(swarm.root, { '.git/info/attributes': '* merge=evil\n' })
    expect(await refused(undo(swarm, 'auth'))).toBe('configuration_changed')
    expect([existsSync(trace), git(swarm.root, 'branch', '--list', 'aiswarm/*')]).toEqual([false, ''])
  })

  it('of an undo restores the work', async () => {
    const { swarm } = await twice()
    await undo(swarm)
    await integrate(swarm, 'undo-pay')
    const { name, path } = await undo(swarm)
    expect(name).toBe('undo-undo-pay')
    expect(read(path, 'pay')).toBe('cash\n')
  })

  it('is refused while it is in progress, when it is done, and without an integration', async () => {
    const { swarm } = await twice()
    await undo(swarm)
    expect((await refusal(undo(swarm, 'pay'))).message).toBe(
      'Worktree undo-pay already undoes the integration of pay. Approve or discard it.',
    )
    await integrate(swarm, 'undo-pay')
    expect((await refusal(undo(swarm, 'pay'))).message).toBe('The integration of pay is already undone by undo-pay.')
    expect(await refused(undo(await openSwarm()))).toBe('invalid_state')
    expect(await refused(undo(swarm, 'nobody'))).toBe('not_found')
  })

  it('requires a person', async () => {
    const { swarm } = await twice()
    expect(
      await refused(
        perform(swarm.core, undoIntegration, {}, { kind: 'agent', id: 'x', role: 'planner', worktree: null }),
      ),
    ).toBe('not_allowed')
  })
})
