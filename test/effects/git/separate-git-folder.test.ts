import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkouts, findRepository } from '../../../src/effects/git/repository.ts'
import { approveIntegration, undoIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, read, repository, sh, type Swarm } from '../swarm.ts'

/** Checkouts whose `.git` is a file that names a folder elsewhere. */
const shapes: Readonly<Record<string, () => string>> = {
  'a repository with --separate-git-dir': () => {
    const place = realpathSync(temporaryFolder())
    const root = join(place, 'shop')
    git(place, 'init', '--quiet', '--initial-branch=main', `--separate-git-dir=${place}/elsewhere.git`, root)
    sh(root, 'git config user.name Ada; git config user.email ada@example.com')
    commit(root, { 'README.md': 'a shop\n' }, 'Begin')
    return root
  },
  'a checkout that is itself a submodule': () => {
    const library = repository()
    const above = join(library, '../above')
    mkdirSync(above)
    sh(
      above,
      `git init -q -b main; git config user.name A; git config user.email a@b; git -c protocol.file.allow=always submodule --quiet add '${library}' parts/shop; git commit -qm Sub`,
    )
    sh(
      join(above, 'parts/shop'),
      'git config user.name Ada; git config user.email ada@example.com; git checkout -q main',
    )
    return join(above, 'parts/shop')
  },
}

const approve = async (swarm: Swarm, name: string): Promise<void> => {
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: name })
  const { targetOid, branchOid, mergeOid } = integration!
  await act(swarm.connection, approveIntegration, {
    worktreeName: name,
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
  })
}

describe.each(Object.entries(shapes))('in %s', (_, make) => {
  it('a worktree is integrated into the files of the main checkout, and that can be undone', async () => {
    const swarm = await openSwarm({
      root: make(),
      config: 'worktrees: {path: "../wt-{name}"}\nintegration: {target: main}\n',
    })
    const folder = await swarm.build('auth')
    commit(folder, { 'auth.txt': 'auth\n' })
    await approve(swarm, 'auth')
    expect(await swarm.worktree('auth')).toMatchObject({ status: 'integrated', integration: { status: 'integrated' } })
    expect(read(swarm.root, 'auth.txt')).toBe('auth\n')
    expect(git(swarm.root, 'status', '--porcelain', '--', ':!.aiswarm')).toBe('')
    const undone = await act(swarm.connection, undoIntegration, { worktreeName: 'auth' })
    await approve(swarm, undone.name)
    expect(existsSync(join(swarm.root, 'auth.txt'))).toBe(false)
  })

  it('the main checkout is found from a worktree', async () => {
    const swarm = await openSwarm({ root: make(), config: 'worktrees: {path: "../wt-{name}"}\n' })
    const folder = await swarm.build('auth')
    expect((await findRepository(folder)).root).toBe(swarm.root)
    expect((await checkouts(folder)).map(({ path }) => path)).toEqual([swarm.root, folder])
  })
})

it('a worktree without a link to its main checkout is refused, and nothing is created in it', async () => {
  const root = shapes['a repository with --separate-git-dir']!()
  git(root, 'worktree', 'add', '--quiet', '../linked')
  const said = await refusal(findRepository(join(root, '../linked')))
  expect(said.code).toBe('not_a_repository')
  expect(said.message).toContain('--root')
  expect(existsSync(join(root, '../linked/.aiswarm'))).toBe(false)
})
