import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { git, repository, sh, until } from '../effects/swarm.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { hosts, task, twoHosts } from '../support/hosts.ts'

const cluster = ownCluster()

/** Two hosts with a git remote, on a board that gives a silent host up soon. */
const impatientHosts = async () => {
  const root = repository()
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  writeFileSync(
    join(root, '.aiswarm', 'config.yaml'),
    'lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}\nfleet: {silentAfter: 2s, lostAfter: 6s}\n',
  )
  const remote = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${remote}"`)
  return { ...(await twoHosts(cluster, { root, remote })), remote }
}

const tasksIn = (worktree: string, command: string): string[] => [
  ...['task', 'add', command, '--persona', 'implementer', '--worktree', worktree, '--command', command],
]

test('a host that is cut off is lost; its pushed work is continued elsewhere, and the rest is kept when it is back', async () => {
  const { first, second, remote } = await impatientHosts()
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  first.run(['worktree', 'create', 'away', '--branch', 'lamp', '--host', other])
  first.run(
    tasksIn('away', 'echo lamp > lamp.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm Lamp'),
  )
  await until('the first task', () => task(first, 1).status === 'completed')
  const work = () => git(remote, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/work/away')
  await until('the push', () =>
    work() === git(join(second.root, '..', 'away'), 'rev-parse', 'HEAD') ? true : undefined,
  )
  first.run(tasksIn('away', 'echo half > half.txt; until [ -e done ]; do sleep 0.05; done; rm done'))
  const folder = join(second.root, '..', 'away')
  await until('the second task', () => existsSync(join(folder, 'half.txt')))
  worker.stop()
  await until('the loss', () => hosts(first)[1]!.state === 'lost' || undefined)
  const continued = join(first.root, '..', 'away-2')
  await until(
    'the successor',
    () => task(first, 2).targetWorktree === 'away-2' && existsSync(join(continued, 'half.txt')),
  )
  expect(existsSync(join(continued, 'lamp.txt'))).toBe(true)
  expect(task(first, 2)).toMatchObject({ status: 'in_progress', attempt: 2 })
  sh(continued, 'touch done')
  await until('the end there', () => task(first, 2).status === 'completed')
  worker.wake()
  await until('the return', () => hosts(first)[1]!.state === 'up' || undefined)
  const back = hosts(first)[1]!.returned
  expect(back).toMatchObject([{ worktree: 'away', successor: 'away-2', problem: null }])
  // Its files as they were are on the host and on the remote, the uncommitted one too.
  for (const place of [second.root, remote]) expect(git(place, 'show', `${back[0]!.ref!}:half.txt`)).toBe('half')
  expect(existsSync(join(folder, 'half.txt'))).toBe(true)
  const { attention } = first.run<{ attention: readonly { kind: string; text: string; command: string }[] }>(['status'])
  expect(attention).toMatchObject([
    {
      kind: 'returned',
      text: `host ${hosts(first)[1]!.name} is back with 1 worktree from before it was lost: compare, keep or discard it`,
      evidence: 'away-2 continues away; all files are kept under refs/aiswarm/returned',
    },
  ])
  first.run(['host', 'settle', other])
  expect(first.run<{ attention: readonly unknown[] }>(['status']).attention).toEqual([])
})

test('work that a host has pushed is merged while the host is away', async () => {
  const { first, second, remote } = await impatientHosts()
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  for (const name of ['lamp', 'chair']) first.run(['worktree', 'create', name, '--branch', name, '--host', other])
  first.run(
    tasksIn('lamp', 'echo lamp > lamp.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm Lamp'),
  )
  await until('the task', () => task(first, 1).status === 'completed')
  const pushed = await until('the push', () =>
    git(remote, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/work/lamp'),
  )
  worker.stop()
  await until('the silence', () => hosts(first)[1]!.silentSince !== null || undefined)
  for (const name of ['lamp', 'chair']) first.run(['worktree', 'request', name])
  const shown = (name: string) => first.run<WorktreeView>(['worktree', 'show', name]).integration!
  await until('the merge', () => shown('lamp').status === 'ready')
  expect(shown('lamp').branchOid).toBe(pushed)
  await first.answer(['worktree', 'approve', 'lamp'], /Type the name of the worktree/, 'lamp')
  await until('the end of the integration', () => shown('lamp').status === 'integrated')
  expect(git(remote, 'show', 'main:lamp.txt')).toBe('lamp')
  // Of this one nothing is anywhere else.
  expect(shown('chair').status).toBe('requested')
  worker.wake()
  await until('the other merge', () => shown('chair').status === 'ready')
})
