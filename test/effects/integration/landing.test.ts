import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { candidateRef } from '../../../src/domain/host/remote.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { beginMove } from '../../../src/operations/integration/merge.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { trustConfiguration } from '../../../src/operations/integration/drift-answers.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { refusal, refused } from '../../support/core.ts'
import { commit, git, openSwarm, read, sh, type Swarm, until, write } from '../swarm.ts'

/** Requests the integration and has it prepared: the merge is created and verified. */
const request = async (swarm: Swarm, targetBranch?: string) =>
  (
    await act(swarm.connection, requestIntegration, {
      worktreeName: 'auth',
      ...(targetBranch === undefined ? {} : { targetBranch }),
    })
  ).integration!

/** The approval of exactly what is now shown. */
const approval = async (swarm: Swarm) => {
  const { targetOid, branchOid, mergeOid, verification } = (await swarm.worktree('auth')).integration!
  return {
    worktreeName: 'auth',
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
    verificationId: verification?.id ?? null,
  }
}

const approve = async (swarm: Swarm) => act(swarm.connection, approveIntegration, await approval(swarm))

/** Only approves; nothing moves yet. Returns the wish to move the target. */
const approved = async (swarm: Swarm) => {
  await perform(swarm.core, approveIntegration, await approval(swarm), person)
  return (await wishesOf(swarm.world)).integrations[0]!
}

/** A swarm with a worktree auth that is one commit ahead of main. */
const prepared = async ({
  files = {},
  config = '',
  work = { 'auth.txt': 'jwt\n' },
}: { files?: Record<string, string>; config?: string; work?: Record<string, string> } = {}) => {
  const swarm = await openSwarm({ files: { 'README.md': 'a shop\n', ...files }, config })
  const folder = await swarm.build('auth')
  const tip = commit(folder, work, 'Add the login')
  return { swarm, folder, tip, root: swarm.root }
}

describe('a clean merge', () => {
  it('is created without changing a checkout, and protected from garbage collection', async () => {
    const { swarm, folder, tip, root } = await prepared()
    const main = git(root, 'rev-parse', 'main')
    const integration = await request(swarm)
    expect(integration).toMatchObject({
      status: 'ready',
      target: 'main',
      approval: 'human',
      targetOid: main,
      branchOid: tip,
      conflicts: [],
      verification: null,
    })
    expect(git(root, 'rev-parse', candidateRef(integration.id))).toBe(integration.mergeOid)
    expect(git(root, 'log', '-1', '--format=%s|%P', integration.mergeOid!)).toBe(
      `Integrate worktree auth (feature/auth)|${main} ${tip}`,
    )
    expect([
      git(root, 'rev-parse', 'main'),
      git(root, 'status', '--porcelain'),
      git(folder, 'status', '--porcelain'),
    ]).toEqual([main, '', ''])
  })

  it('moves the checked-out main together with its files, and closes the worktree', async () => {
    const { swarm, folder, root } = await prepared()
    const { mergeOid, id } = await request(swarm)
    expect(await approve(swarm)).toMatchObject({
      status: 'integrated',
      folder: 'gone',
      integrationTarget: 'main',
      integration: { status: 'integrated', approvedBy: 'human' },
    })
    expect(git(root, 'rev-parse', 'HEAD')).toBe(mergeOid)
    expect(read(root, 'auth.txt')).toBe('jwt\n')
    expect(git(root, 'status', '--porcelain')).toBe('')
    expect(existsSync(folder)).toBe(false)
    expect(git(root, 'for-each-ref', candidateRef(id))).toBe('')
  })

  it('moves only the ref of a target that is not checked out', async () => {
    const { swarm, root } = await prepared()
    git(root, 'branch', 'release')
    write(root, { 'auth.txt': 'mine, untracked' })
    const { mergeOid } = await request(swarm, 'release')
    await approve(swarm)
    expect(git(root, 'rev-parse', 'release')).toBe(mergeOid)
    expect(git(root, 'rev-parse', 'main')).not.toBe(mergeOid)
    expect(read(root, 'auth.txt')).toBe('mine, untracked')
  })

  it('moves a target in the other worktree in which it is checked out', async () => {
    const { swarm, root } = await prepared()
    git(root, 'worktree', 'add', '--quiet', '-b', 'release', '../release')
    await request(swarm, 'release')
    await approve(swarm)
    expect(read(root, '../release/auth.txt')).toBe('jwt\n')
    expect(git(join(root, '../release'), 'status', '--porcelain')).toBe('')
  })

  it('keeps unrelated edits of the person byte for byte: staged, unstaged and untracked', async () => {
    const { swarm, root } = await prepared({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    write(root, { 'a.txt': 'a staged\n', 'notes.txt': 'mine\r\n' })
    git(root, 'add', 'a.txt')
    write(root, { 'a.txt': 'a staged and changed', 'b.txt': 'b changed\n' })
    const seen = statSync(join(root, 'b.txt')).mtimeMs
    const status = git(root, 'status', '--porcelain')
    await request(swarm)
    await approve(swarm)
    expect(read(root, 'auth.txt')).toBe('jwt\n')
    expect(git(root, 'status', '--porcelain')).toBe(status)
    expect([read(root, 'a.txt'), read(root, 'b.txt'), read(root, 'notes.txt'), git(root, 'show', ':a.txt')]).toEqual([
      'a staged and changed',
      'b changed\n',
      'mine\r\n',
      'a staged',
    ])
    expect(statSync(join(root, 'b.txt')).mtimeMs).toBe(seen)
  })

  it('archives the uncommitted files of the worktree', async () => {
    const { swarm, folder, root } = await prepared()
    await request(swarm)
    write(folder, { late: 'l\n' })
    const { archiveRef } = await approve(swarm)
    expect(git(root, 'show', `${archiveRef}:late`)).toBe('l')
    expect(existsSync(join(root, 'late'))).toBe(false)
  })

  it('without changes only closes the worktree', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    const main = git(swarm.root, 'rev-parse', 'main')
    expect(await request(swarm)).toMatchObject({ status: 'ready', mergeOid: main })
    expect(await approve(swarm)).toMatchObject({ status: 'integrated', folder: 'gone' })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
  })

  it('runs no hook of the repository', async () => {
    const { swarm, root } = await prepared()
    const trace = join(root, '../hook-ran')
    for (const hook of [
      'pre-merge-commit',
      'post-merge',
      'commit-msg',
      'reference-transaction',
      'post-checkout',
      'update',
    ]) {
      write(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> '${trace}'\nexit 1\n` })
      sh(root, `chmod +x .git/hooks/${hook}`)
    }
    await request(swarm)
    const { changed } = (await perform(swarm.core, readGuard, {}, person))!
    await perform(swarm.core, trustConfiguration, { hash: changed!.hash }, person)
    await request(swarm)
    await approve(swarm)
    expect((await swarm.worktree('auth')).folder).toBe('gone')
    expect(existsSync(trace)).toBe(false)
  })
})

describe('edits of the person in the way of a merge', () => {
  it.each([
    ['a changed file', (root: string) => write(root, { 'shared.txt': 'mine\n' }), 'shared.txt', 'mine\n'],
    [
      'a staged file',
      (root: string) => {
        write(root, { 'shared.txt': 'mine\n' })
        git(root, 'add', 'shared.txt')
      },
      'shared.txt',
      'mine\n',
    ],
    ['an untracked file', (root: string) => write(root, { 'auth.txt': 'mine\n' }), 'auth.txt', 'mine\n'],
  ])('hold the move: %s is named and kept, and nothing moves', async (_, edit, path, content) => {
    const { swarm, root } = await prepared({
      files: { 'shared.txt': 'old\n' },
      work: { 'shared.txt': 'new\n', 'auth.txt': 'jwt\n', 'other.txt': 'x\n' },
    })
    await request(swarm)
    const main = git(root, 'rev-parse', 'main')
    edit(root)
    const status = git(root, 'status', '--porcelain')
    const { integration, status: state } = await approve(swarm)
    expect(state).toBe('active')
    expect(integration).toMatchObject({ status: 'ready', approvedBy: null })
    expect(integration!.problem).toContain(path)
    expect(integration!.problem).toContain('Commit or stash what you changed there, then approve again.')
    expect([git(root, 'rev-parse', 'main'), git(root, 'status', '--porcelain'), read(root, path)]).toEqual([
      main,
      status,
      content,
    ])
    expect(existsSync(join(root, 'other.txt'))).toBe(false)
    sh(root, `git stash -q --include-untracked -- ${path}`)
    expect((await approve(swarm)).status).toBe('integrated')
  })
})

describe('a conflict', () => {
  it('is reported with its paths, and cannot be approved', async () => {
    const { swarm, root } = await prepared({
      files: { 'a b.txt': 'old\n', 'ä.txt': 'old\n' },
      work: { 'a b.txt': 'theirs\n', 'ä.txt': 'theirs\n', c: 'x' },
    })
    commit(root, { 'a b.txt': 'ours\n', 'ä.txt': 'ours\n' })
    const integration = await request(swarm)
    expect(integration).toMatchObject({ status: 'conflicted', mergeOid: null })
    expect([...integration.conflicts].sort()).toEqual(['a b.txt', 'ä.txt'])
    expect(
      await refused(
        act(swarm.connection, approveIntegration, {
          worktreeName: 'auth',
          targetOid: 'x',
          branchOid: 'x',
          mergeOid: 'x',
        }),
      ),
    ).toBe('conflicted')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('that was resolved on the branch is requested again and merged', async () => {
    const { swarm, folder, root } = await prepared({ files: { a: 'old\n' }, work: { a: 'theirs\n' } })
    commit(root, { a: 'ours\n' })
    expect((await request(swarm)).status).toBe('conflicted')
    sh(folder, 'git merge -q main || true; echo both > a; git commit -qam Resolve')
    expect((await request(swarm)).status).toBe('ready')
    expect((await approve(swarm)).status).toBe('integrated')
    expect(read(root, 'a')).toBe('both\n')
  })

  it('is also reported for a target that does not exist', async () => {
    const { swarm } = await prepared()
    expect(await request(swarm, 'nowhere')).toMatchObject({
      status: 'conflicted',
      problem: 'There is no branch nowhere to merge into; create it, or name another with --target.',
    })
  })
})

describe('a later commit on one side voids the approval:', () => {
  it.each([
    ['the target', ({ root }: Awaited<ReturnType<typeof prepared>>) => commit(root, { later: 'x' })],
    ['the branch', ({ folder }: Awaited<ReturnType<typeof prepared>>) => commit(folder, { later: 'x' })],
  ])('%s', async (_, move) => {
    const given = await prepared()
    const { swarm, root } = given
    const first = await request(swarm)
    await approved(swarm)
    const moved = move(given)
    const main = git(root, 'rev-parse', 'main')
    await landQueue(swarm.world, 'main')
    expect((await swarm.worktree('auth')).integration).toMatchObject({
      status: 'requested',
      approvedBy: null,
      mergeOid: null,
    })
    expect(git(root, 'rev-parse', 'main')).toBe(main)
    await swarm.turn()
    await swarm.turn()
    const again = (await swarm.worktree('auth')).integration!
    expect(again.status).toBe('ready')
    expect(again.mergeOid).not.toBe(first.mergeOid)
    expect([again.targetOid, again.branchOid]).toContain(moved)
    expect(
      await refused(
        act(swarm.connection, approveIntegration, {
          worktreeName: 'auth',
          targetOid: first.targetOid!,
          branchOid: first.branchOid!,
          mergeOid: first.mergeOid!,
        }),
      ),
    ).toBe('approval_void')
    expect((await approve(swarm)).status).toBe('integrated')
    expect(existsSync(join(root, 'later'))).toBe(true)
  })
})

describe('the approver reads that the approval is void if meanwhile', () => {
  it.each([
    [
      'the target moved',
      ({ root }: Awaited<ReturnType<typeof prepared>>) => commit(root, { later: 'x' }),
      'main has moved',
    ],
    [
      'the branch moved',
      ({ folder }: Awaited<ReturnType<typeof prepared>>) => commit(folder, { later: 'x' }),
      'feature/auth has moved',
    ],
    [
      'the target came to conflict',
      ({ root }: Awaited<ReturnType<typeof prepared>>) => commit(root, { 'auth.txt': 'x' }),
      'main or feature/auth has moved',
    ],
  ])('%s', async (_, move, moved) => {
    const given = await prepared()
    await request(given.swarm)
    move(given)
    const main = git(given.root, 'rev-parse', 'main')
    const { code, message } = await refusal(approve(given.swarm))
    expect([code, message]).toEqual([
      'approval_void',
      `${moved} after the merge of auth was shown, so the approval is void and nothing was merged. Review it again.`,
    ])
    expect(git(given.root, 'rev-parse', 'main')).toBe(main)
  })
})

describe('the setting approval: auto', () => {
  const auto = 'integration: {approval: auto}\n'

  it('counts if it is committed on the target', async () => {
    const { swarm, root } = await prepared({ files: { '.aiswarm/config.yaml': auto } })
    await perform(swarm.core, requestIntegration, { worktreeName: 'auth' }, person)
    const worktree = await until('the integration', async () => {
      await swarm.turn()
      const found = await swarm.worktree('auth')
      return found.folder === 'gone' && found
    })
    expect(worktree).toMatchObject({
      status: 'integrated',
      integration: { status: 'integrated', approvedBy: 'aiswarm' },
    })
    expect(read(root, 'auth.txt')).toBe('jwt\n')
  })

  it('does not count if it is uncommitted in the main checkout', async () => {
    const { swarm } = await prepared({ config: auto })
    expect(await request(swarm)).toMatchObject({ status: 'ready', approval: 'human' })
  })

  it('does not count if the target contradicts the main checkout', async () => {
    const { swarm, root } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {approval: human}\n' },
      config: auto,
    })
    expect(swarm.core.settings.integration.approval).toBe('auto')
    expect(await request(swarm)).toMatchObject({ status: 'ready', approval: 'human' })
    expect(existsSync(join(root, 'auth.txt'))).toBe(false)
  })

  it('does not count if only the branch contains it', async () => {
    const { swarm } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {approval: human}\n' },
      work: { '.aiswarm/config.yaml': auto },
    })
    expect(await request(swarm)).toMatchObject({ status: 'ready', approval: 'human' })
  })

  it('does not count for a request that asks for a person', async () => {
    const { swarm } = await prepared({ files: { '.aiswarm/config.yaml': auto } })
    const { integration } = await act(swarm.connection, requestIntegration, {
      worktreeName: 'auth',
      requireHumanApproval: true,
    })
    expect(integration).toMatchObject({ status: 'ready', approval: 'human' })
  })

  it('still requires the verification to pass', async () => {
    const { swarm, root } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {approval: auto, verify: "false"}\n' },
    })
    expect((await request(swarm)).status).toBe('unverified')
    expect(existsSync(join(root, 'auth.txt'))).toBe(false)
  })
})

describe('the verification', () => {
  it('runs the command of the target on the merge commit, in a folder of its own', async () => {
    const verify = 'integration: {verify: "git rev-parse HEAD; ls; test -e auth.txt"}\n'
    const { swarm, root } = await prepared({ files: { '.aiswarm/config.yaml': verify } })
    commit(root, { 'later.txt': 'x' })
    const { status, verification, mergeOid } = await request(swarm)
    expect(status).toBe('ready')
    expect(verification).toMatchObject({
      command: 'git rev-parse HEAD; ls; test -e auth.txt',
      exitCode: 0,
      tail: `${mergeOid}\nREADME.md\nauth.txt\nlater.txt\n`,
    })
    expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(2)
  })

  it('runs the command that is committed on the target even if the main checkout has another', async () => {
    const { swarm } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {verify: "echo of the target"}\n' },
      config: 'integration: {verify: "echo of the checkout"}\n',
    })
    expect(swarm.core.settings.integration.verify).toBe('echo of the checkout')
    const { status, verification } = await request(swarm)
    expect([status, verification]).toMatchObject([
      'ready',
      { command: 'echo of the target', exitCode: 0, tail: 'of the target\n' },
    ])
  })

  it('that fails is shown with its output, and prevents the approval', async () => {
    const { swarm } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {verify: "echo 2 tests failed; exit 3"}\n' },
    })
    const integration = await request(swarm)
    expect(integration).toMatchObject({ status: 'unverified', verification: { exitCode: 3, tail: '2 tests failed\n' } })
    expect(read(integration.verification!.log)).toBe('2 tests failed\n')
    expect((await refusal(approve(swarm))).message).toContain('The verification of auth failed')
  })

  it('of a merge that cannot be checked out fails, and its output says why', async () => {
    const { swarm, folder, root } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {verify: "true"}\n', 'kept.txt': 'kept\n' },
    })
    // The content of a file that the branch has not changed is not read before.
    const oid = git(folder, 'rev-parse', 'HEAD:kept.txt')
    rmSync(join(root, '.git/objects', oid.slice(0, 2), oid.slice(2)))
    const { status, verification } = await request(swarm)
    expect([status, verification!.exitCode]).toEqual(['unverified', 128])
    expect(verification!.tail).toMatch(new RegExp(`^The merge could not be checked out: git worktree failed: .*${oid}`))
    expect(git(root, 'worktree', 'list', '--porcelain')).not.toContain('aiswarm-verify')
  })

  it('cannot be weakened by the branch', async () => {
    const { swarm } = await prepared({
      files: { '.aiswarm/config.yaml': 'integration: {verify: "exit 3"}\n' },
      work: { '.aiswarm/config.yaml': 'integration: {verify: "true"}\n' },
    })
    expect((await request(swarm)).status).toBe('unverified')
  })

  it('stops at a target configuration that cannot be read, and says where', async () => {
    const { swarm } = await prepared({ files: { '.aiswarm/config.yaml': 'integration:\n  approval: human\n' } })
    commit(swarm.root, { '.aiswarm/config.yaml': 'integration:\n  approval: maybe\n' })
    expect((await refusal(request(swarm))).message).toMatch(/^main:\.aiswarm\/config\.yaml:2: integration\.approval: /)
    expect((await swarm.worktree('auth')).integration!.status).toBe('requested')
  })
})

describe('a crash during the move of the target', () => {
  it('before the ref moved is completed by the next process', async () => {
    const { swarm, root } = await prepared()
    const { mergeOid } = await request(swarm)
    const integration = await approved(swarm)
    await perform(swarm.core, beginMove, { id: integration.id }, swarm.world.actor)
    await swarm.turn()
    expect(git(root, 'rev-parse', 'main')).toBe(mergeOid)
    expect((await swarm.worktree('auth')).integration!.status).toBe('integrated')
  })

  it('after the ref moved is completed by the next process, which records the merge and removes the worktree', async () => {
    const { swarm, folder, root } = await prepared()
    const { mergeOid } = await request(swarm)
    const integration = await approved(swarm)
    await perform(swarm.core, beginMove, { id: integration.id }, swarm.world.actor)
    git(root, 'merge', '--quiet', '--ff-only', mergeOid!)
    commit(root, { 'and-on.txt': 'x' })
    await swarm.turn()
    expect((await swarm.worktree('auth')).integration!.status).toBe('integrated')
    await until('the removal', async () => {
      await swarm.turn()
      return !existsSync(folder)
    })
    expect(git(root, 'rev-list', '--merges', '--count', 'main')).toBe('1')
  })
})

it('several merges into the same target at once are each rebuilt on top of the others', async () => {
  const names = ['a', 'b', 'c', 'd']
  const swarm = await openSwarm({ files: { '.aiswarm/config.yaml': 'integration: {approval: auto}\n' } })
  for (const name of names) {
    commit(await swarm.build(name), { [name]: 'x\n' })
    await perform(swarm.core, requestIntegration, { worktreeName: name }, person)
  }
  await until('all integrations', async () => {
    await swarm.turn()
    return names.every((name) => existsSync(join(swarm.root, name)))
  })
  expect(git(swarm.root, 'rev-list', '--merges', '--count', 'main')).toBe('4')
  expect(git(swarm.root, 'status', '--porcelain')).toBe('')
})

it('two processes that move the same target at once merge it once', async () => {
  const { swarm, root } = await prepared()
  await request(swarm)
  await approved(swarm)
  const worlds = [swarm.world, await swarm.open()]
  await Promise.all(worlds.map((world) => landQueue(world, 'main')))
  expect((await swarm.worktree('auth')).integration!.status).toBe('integrated')
  expect(git(root, 'rev-list', '--merges', '--count', 'main')).toBe('1')
})
