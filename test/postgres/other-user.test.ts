import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { git, repository, sh, until } from '../effects/swarm.ts'
import { newAddress, ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { hostAt, hosts, served, task } from '../support/hosts.ts'
import { needs } from '../support/needs.ts'

// A fleet whose target is not called main, without a locale, and with a host that runs as another user.

const cluster = ownCluster()

/** A user who owns nothing. */
const NOBODY = { uid: 65534, gid: 65534 }

test('a fleet that merges into trunk works without a locale, and with a host of another user', async (context) => {
  needs(context, process.getuid?.() === 0, 'only root can run programs as other users')
  const root = repository({ 'README.md': 'a shop\n' })
  sh(root, 'git branch -m main trunk')
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  writeFileSync(join(root, '.aiswarm', 'config.yaml'), 'integration: {target: trunk}\n')
  const remote = await served(root)
  const locale = { LANG: 'C', LC_ALL: 'C' }
  const first = hostAt(root, locale)
  const { url, schema } = newAddress(cluster)
  first.run(['fleet', 'init', '--database', `${url}&schema=${schema}`, '--remote', remote.url])
  const clone = join(temporaryFolder(), 'other', 'shop')
  mkdirSync(dirname(clone))
  sh(root, `git clone --quiet "${remote.url}" "${clone}"; chown -R ${NOBODY.uid}:${NOBODY.gid} "${dirname(clone)}"`)
  const second = hostAt(clone, locale, NOBODY)
  for (const folder of [dirname(dirname(clone)), dirname(second.home)]) chmodSync(folder, 0o711)
  const { code } = first.run<{ code: string }>(['fleet', 'join-code'])
  const { id: other } = second.run<{ id: string }>(['fleet', 'join'], `${code}\n`)
  first.worker()
  void second.worked()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  first.run(['worktree', 'create', 'lampe', '--branch', 'größe', '--host', other])
  const work = 'id -u > Größe.txt; git add .; git -c user.name=b -c user.email=b@b commit -qm Größe'
  first.run([...['task', 'add', 'Größe', '--persona', 'implementer', '--worktree', 'lampe', '--command', work]])
  await until('the task', () => task(first, 1).status === 'completed')
  expect(statSync(join(clone, '..', 'lampe', 'Größe.txt')).uid).toBe(NOBODY.uid)
  first.run(['worktree', 'request', 'lampe'])
  const standing = () => first.run<WorktreeView>(['worktree', 'show', 'lampe']).integration?.status
  await until('the merge', () => standing() === 'ready')
  await first.answer(['worktree', 'approve', 'lampe'], /Type the name of the worktree/, 'lampe')
  await until('the end of the integration', () => standing() === 'integrated')
  expect(git(remote.folder, 'show', 'trunk:Größe.txt')).toBe(String(NOBODY.uid))
  expect(git(remote.folder, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/trunk')
  for (const folder of [root, clone])
    await until(
      `trunk in ${folder}`,
      () => sh(folder, 'git -c safe.directory=* rev-parse trunk') === git(remote.folder, 'rev-parse', 'trunk'),
    )
})
