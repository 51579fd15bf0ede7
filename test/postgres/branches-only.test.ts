import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { git, repository, until } from '../effects/swarm.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { hosts, served, task, twoHosts } from '../support/hosts.ts'

// A forge that takes branches only, over HTTP.

const cluster = ownCluster()

test('hosts exchange and merge code through a remote that takes branches only', async () => {
  const root = repository()
  const remote = await served(root)
  const strict = '#!/bin/sh\ncase "$1" in refs/heads/*) exit 0;; esac\necho "only branches"\nexit 1\n'
  writeFileSync(join(remote.folder, 'hooks', 'update'), strict, { mode: 0o755 })
  const { first, second } = await twoHosts(cluster, { root, remote: remote.url })
  expect(first.run(['fleet', 'remote'])).toMatchObject({ remote: remote.url, refs: 'refs/heads/aiswarm/', used: true })
  first.worker()
  second.worker()
  const other = hosts(first).find(({ id }) => id !== 'local')!.id
  first.run(['worktree', 'create', 'lamp', '--branch', 'lamp', '--host', other])
  const work = 'echo lamp > lamp.txt; git add .; git -c user.name=b -c user.email=b@b commit -qm lamp'
  first.run(['task', 'add', 'lamp', '--persona', 'implementer', '--worktree', 'lamp', '--command', work])
  await until('the task', () => task(first, 1).status === 'completed')
  first.run(['worktree', 'request', 'lamp'])
  const shown = () => first.run<WorktreeView>(['worktree', 'show', 'lamp']).integration
  await until('the merge', () => shown()?.status === 'ready')
  const { id, branchOid, mergeOid } = shown()!
  const there = (ref: string): string => git(remote.folder, 'for-each-ref', '--format=%(refname) %(objectname)', ref)
  expect(there('refs/heads/aiswarm').split('\n')).toEqual([
    `refs/heads/aiswarm/candidate/${id} ${mergeOid}`,
    `refs/heads/aiswarm/work/lamp ${branchOid}`,
  ])
  await first.answer(['worktree', 'approve', 'lamp'], /Type the name of the worktree/, 'lamp')
  await until('the end of the integration', () => shown()?.status === 'integrated')
  expect(there('refs/heads/main')).toBe(`refs/heads/main ${mergeOid}`)
  for (const host of [first, second]) await until('main', () => git(host.root, 'rev-parse', 'main') === mergeOid)
  await until('the end of its refs', () => there('refs/heads/aiswarm') === '')
  expect(there('refs/aiswarm')).toBe('')
  for (const host of [first, second]) expect(git(host.root, 'for-each-ref', 'refs/heads/aiswarm')).toBe('')
})
