import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { proveContent, proveFile } from '../../../src/effects/integration/content.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, openSwarm, repository } from '../swarm.ts'

/** Gives the loose object of a revision another content, as git reads it. */
const rewrite = (root: string, revision: string, content: string): void => {
  const oid = git(root, 'rev-parse', revision)
  const path = join(root, '.git/objects', oid.slice(0, 2), oid.slice(2))
  chmodSync(path, 0o600)
  writeFileSync(path, deflateSync(`blob ${content.length}\0${content}`))
  expect(git(root, 'cat-file', 'blob', oid)).toBe(content)
}

describe('the content of a merge', () => {
  it('is what its names say, whatever it holds', async () => {
    const root = repository({ 'README.md': 'a shop\n', '.aiswarm/config.yaml': 'x: 1\n' })
    const base = git(root, 'rev-parse', 'HEAD')
    const tip = commit(root, {
      empty: '',
      lines: '\n\n\n',
      'a/b/c': 'x'.repeat(300_000),
      name: `${'0'.repeat(40)} blob 3\n`,
    })
    await proveContent(root, tip, base)
    await proveContent(root, tip, tip)
    await proveFile(root, 'refs/heads/main', '.aiswarm/config.yaml')
    git(root, 'gc', '--quiet')
    await proveContent(root, tip, base)
  })

  it('is refused where an object of it was rewritten', async () => {
    const root = repository()
    const base = git(root, 'rev-parse', 'HEAD')
    const tip = commit(root, { a: 'honest' })
    rewrite(root, 'HEAD:a', 'hostile')
    expect((await refusal(proveContent(root, tip, base))).message).toContain('has another content than its name says')
  })

  it('of the configuration is refused where that was rewritten', async () => {
    const root = repository({ '.aiswarm/config.yaml': 'integration: {approval: human}\n' })
    rewrite(root, 'HEAD:.aiswarm/config.yaml', 'integration: {approval: auto}')
    expect((await refusal(proveFile(root, 'refs/heads/main', '.aiswarm/config.yaml'))).message).toContain(
      'has another content',
    )
  })
})

describe('an approved merge', () => {
  it('does not land when an object of it was rewritten after it was shown', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'honest' }, 'Add a')
    await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    const { targetOid, branchOid, mergeOid } = (await swarm.worktree('auth')).integration!
    const shown = { targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid!, verificationId: null }
    await perform(swarm.core, approveIntegration, { worktreeName: 'auth', ...shown }, person)
    const main = git(swarm.root, 'rev-parse', 'main')
    rewrite(swarm.root, 'feature/auth:a', 'hostile')
    await landQueue(swarm.world, 'main')
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
    expect((await swarm.worktree('auth')).integration!.problem).toContain('has another content than its name says')
  })

  it('is not made of a branch, or into a target, that is a symbolic ref', async () => {
    const root = repository()
    git(root, 'branch', 'real')
    git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/real')
    const swarm = await openSwarm({ root, config: 'integration: {target: alias}' })
    commit(await swarm.build('auth'), { a: 'a' }, 'Add a')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    expect(integration!.problem).toContain('is a symbolic ref')
  })
})
