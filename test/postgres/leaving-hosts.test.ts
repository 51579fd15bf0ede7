import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { git, repository, sh, until } from '../effects/swarm.ts'
import { agentsOf } from '../support/processes.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hosts, schemaOf, task, twoHosts } from '../support/hosts.ts'

// A host leaves for ever, a worktree moves to another one, and a board is restored to an earlier time.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')

const configured = (lostAfter = '6s'): string => {
  const root = repository({ '.gitignore': 'ignored/\n', 'README.md': 'a shop\n' })
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  writeFileSync(
    join(root, '.aiswarm', 'config.yaml'),
    `lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}\nfleet: {silentAfter: 2s, lostAfter: ${lostAfter}}\n`,
  )
  return root
}

const withRemote = async (lostAfter?: string) => {
  const root = configured(lostAfter)
  const remote = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${remote}"`)
  return { ...(await twoHosts(cluster, { root, remote })), remote }
}

const tasksIn = (worktree: string, command: string): string[] => [
  ...['task', 'add', command, '--persona', 'implementer', '--worktree', worktree, '--command', command],
]
const commit = (name: string): string =>
  `echo ${name} > ${name}.txt && git add ${name}.txt && git -c user.name=a -c user.email=a@a commit -qm ${name}`

test('a forgotten host ends its worker, writes nothing more, and comes back with a new code only', async () => {
  const { first, second } = await twoHosts(cluster, { root: configured() })
  const other = hosts(first)[1]!.id
  first.worker()
  const worked = second.worked('--labels', 'gpu,big')
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  expect(hosts(first)[1]!.labels).toEqual(['gpu', 'big'])
  first.run(['worktree', 'create', 'away', '--branch', 'lamp', '--host', other])
  first.run(tasksIn('away', 'until [ -e go ]; do sleep 0.05; done; rm go'))
  await until('the agent', () => hosts(first)[1]!.running === 1)
  expect(() => first.run(['host', 'forget', other, '--yes'])).toThrow('is working')
  expect(() => first.run(['host', 'drain', other, '--wait', '100ms'])).toThrow()
  expect(hosts(first)[1]!.state).toBe('draining')
  sh(second.root, 'touch ../away/go')
  expect(first.run(['host', 'drain', other, '--wait', '1m'])).toMatchObject({ finished: true, running: 0 })
  expect(() => first.run(['host', 'forget', other, '--yes'])).toThrow('has 1 worktree: away')
  first.run(['worktree', 'discard', 'away', '--reason', 'no more', '--lose-nothing'])
  await until('the removal', () => hosts(first)[1]!.worktrees === 0)
  const forgotten = first.run<{ endedConnections: number }>(['host', 'forget', other, '--yes'])
  expect(forgotten).toMatchObject({ id: other, worktrees: [] })
  expect(forgotten.endedConnections).toBeGreaterThan(0)
  expect(hosts(first)).toHaveLength(1)
  const { code, said } = await worked
  expect({ code, said }).toMatchObject({
    code: 1,
    said: expect.stringContaining('does not know it any more') as string,
  })
  // Not even as a clone that only shows and decides.
  expect(() => second.run(['task', 'add', 'x', '--persona', 'implementer'])).toThrow('host_forgotten')
  expect(() => second.run(['fleet', 'join'], 'aiswarm-join:1:guessed\n')).toThrow('no code')
  expect(() => second.run(['task', 'list'])).toThrow('host_forgotten')
  const again = first.run<{ code: string }>(['fleet', 'join-code'])
  const joined = second.run<{ id: string; service: string | null }>(['fleet', 'join'], `${again.code}\n`)
  expect(joined.service).toBe(null)
  expect(joined.id).not.toBe(other)
  second.run(['task', 'list'])
  first.run(['worktree', 'create', 'back', '--branch', 'back', '--host', joined.id])
  first.run(tasksIn('back', 'true'))
  expect(await second.worked('--once')).toMatchObject({ code: 0 })
  expect(task(first, 2).status).toBe('completed')
})

test('a worktree moves with its commits, and with its uncommitted files where a person allows that', async () => {
  const { first, second, remote } = await withRemote()
  const [one, other] = hosts(first).map(({ id }) => id) as [string, string]
  first.worker()
  second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  first.run(['worktree', 'create', 'lamp', '--branch', 'lamp', '--host', other])
  const old = join(second.root, '..', 'lamp')
  await until('the worktree', () => existsSync(join(old, 'README.md')))
  first.run(tasksIn('lamp', commit('bulb')))
  await until('its task', () => task(first, 1).status === 'completed')
  sh(old, 'echo half > half.txt; echo changed > README.md; mkdir ignored; echo kept > ignored/kept.txt')
  expect(() => first.run(['worktree', 'move', 'lamp', '--host', one])).toThrow(
    'Worktree lamp has uncommitted files: README.md, half.txt.',
  )
  expect(first.run(['fleet', 'snapshots', 'on'])).toEqual({ snapshots: true })
  writeFileSync(join(old, 'key.txt'), `token = "ghp_${'a'.repeat(36)}"\n`)
  expect(() => first.run(['worktree', 'move', 'lamp', '--host', one])).toThrow('files with secrets: key.txt')
  sh(old, 'rm key.txt')
  const moved = join(first.root, '..', 'lamp-2')
  mkdirSync(moved)
  expect(() => first.run(['worktree', 'move', 'lamp', '--host', one])).toThrow(
    `could not continue it: ${moved} already exists`,
  )
  expect(existsSync(join(old, 'half.txt'))).toBe(true)
  rmdirSync(moved)
  expect(first.run(['worktree', 'move', 'lamp', '--host', one])).toMatchObject({ successor: 'lamp-2' })
  await until('the successor', () => existsSync(join(moved, 'half.txt')))
  expect(git(moved, 'status', '--porcelain')).toBe(' M README.md\n?? half.txt')
  expect(git(moved, 'rev-parse', 'HEAD')).toBe(git(remote, 'rev-parse', 'refs/aiswarm/work/lamp'))
  expect(existsSync(join(moved, 'ignored'))).toBe(false)
  await until('the archive', () => !existsSync(old))
  const { archiveRef } = first.run<{ archiveRef: string }>(['worktree', 'show', 'lamp'])
  expect(git(second.root, 'show', `${archiveRef}:half.txt`)).toBe('half')
})

test('uncommitted work is continued elsewhere from its last snapshot, which has no secrets and goes with its worktree', async () => {
  const { first, second, remote } = await withRemote()
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  const ref = `refs/aiswarm/wip/${other}/away`
  const snapshot = () => git(remote, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/wip')
  first.run(['worktree', 'create', 'away', '--branch', 'lamp', '--host', other])
  const folder = join(second.root, '..', 'away')
  const work = [
    'echo half > half.txt; mkdir ignored; echo x > ignored/x; echo "password = hunter2hunter2" > .env; git add .env',
    `echo 'api_key: "sk-${'a'.repeat(40)}"' > staged.yaml; git add staged.yaml; echo ok > staged.yaml`,
    'until [ -e done ]; do sleep 0.05; done; rm done',
  ]
  first.run(tasksIn('away', work.join('; ')))
  await until('the agent', () => existsSync(join(folder, 'staged.yaml')))
  // Nothing uncommitted leaves the host before a person says so.
  expect(snapshot()).toBe('')
  first.run(['fleet', 'snapshots', 'on'])
  await until('the snapshot', () => snapshot() !== '')
  expect(git(remote, 'ls-tree', '-r', '--name-only', ref).split('\n').sort()).toEqual([
    ...['.gitignore', 'README.md', 'half.txt'].sort(),
    'staged.yaml',
  ])
  expect(git(remote, 'show', `${ref}:staged.yaml`)).toBe('ok')
  worker.stop()
  const continued = join(first.root, '..', 'away-2')
  await until(
    'the successor',
    () => task(first, 1).targetWorktree === 'away-2' && existsSync(join(continued, 'half.txt')),
  )
  expect(existsSync(join(continued, 'staged.yaml'))).toBe(true)
  await until('the second attempt', () => task(first, 1).status === 'in_progress')
  sh(continued, 'touch done')
  worker.wake()
  await until('the return', () => hosts(first)[1]!.state === 'up')
  await until('the end of the first agent', () => hosts(first)[1]!.running === 0)
  first.run(['worktree', 'discard', 'away', '--reason', 'continued', '--lose-nothing'])
  await until('its removal', () => !existsSync(folder))
  // Those that others continue are deleted with the next sweep; all of them when a person takes the word back.
  first.run(['worktree', 'create', 'other', '--branch', 'other', '--host', other])
  const second2 = join(second.root, '..', 'other')
  await until('another worktree', () => existsSync(join(second2, 'README.md')))
  sh(second2, 'echo more > more.txt')
  await until(
    'its snapshot',
    () => snapshot().split('\n').length >= 2 || git(remote, 'for-each-ref', `refs/aiswarm/wip/${other}/other`) !== '',
  )
  first.run(['worktree', 'discard', 'other', '--reason', 'no more', '--lose-nothing'])
  await until('its removal', () => !existsSync(second2))
  await until('its end on the remote', () => git(remote, 'for-each-ref', `refs/aiswarm/wip/${other}/other`) === '')
})

/** Keeps the board as it is now; returns what brings it back, as a server that is restored does. */
const dumped = (first: Host): (() => void) => {
  const schema = schemaOf(first)
  const file = join(cluster.folder, `${schema}.sql`)
  const server = ['-h', cluster.folder, '-U', 'owner', 'postgres']
  execFileSync('pg_dump', ['--schema', schema, '--file', file, ...server])
  return () => {
    cluster.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'aiswarm%'; DROP SCHEMA ${schema} CASCADE`,
    )
    execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-f', file, ...server], { stdio: 'ignore' })
  }
}

test('a board that was restored to an earlier time is written by no host before a person says so; then nothing is lost', async () => {
  const { first, second } = await withRemote()
  const other = hosts(first)[1]!.id
  const schema = schemaOf(first)
  first.worker()
  const worked = second.worked()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  expect(() => first.run(['fleet', 'restored', '--yes'])).toThrow('Nothing looks restored: the board knows every')
  const restore = dumped(first)
  first.run(['worktree', 'create', 'late', '--branch', 'late', '--host', other])
  const late = join(second.root, '..', 'late')
  first.run(tasksIn('late', `${commit('late')}; echo half > half.txt; until [ -e done ]; do sleep 0.05; done`))
  await until('the agent', () => existsSync(join(late, 'half.txt')))
  expect(agentsOf(second.root)).not.toEqual([])
  const beats = async (): Promise<number> =>
    Number(
      (await runSql<{ n: string }>(cluster, `SELECT beat_seq AS n FROM ${schema}.hosts WHERE id = '${other}'`))[0]!.n,
    )
  const atDump = await beats()
  await until('later heartbeats', async () => (await beats()) > atDump + 1)
  restore()
  expect(() => second.run(tasksIn('late', 'true'))).toThrow('board_restored')
  expect(() => first.run(['task', 'add', 'x', '--persona', 'implementer'])).toThrow('board_restored')
  expect(await beats()).toBeLessThan(atDump + 1)
  const { generation } = first.run<{ generation: number }>(['fleet', 'restored', '--yes'])
  expect(generation).toBeGreaterThan(1)
  expect(() => first.run(['fleet', 'restored', '--yes'])).toThrow('Nothing looks restored')
  await until('the return', () => hosts(first)[1]!.returned.length > 0)
  const [kept] = hosts(first)[1]!.returned
  expect(kept).toMatchObject({ worktree: 'late', problem: null })
  expect(git(second.root, 'show', `${kept!.ref!}:half.txt`)).toBe('half')
  expect(git(second.root, 'log', '-1', '--format=%s', 'late')).toBe('late')
  expect(existsSync(join(late, 'half.txt'))).toBe(true)
  // The board has forgotten its agent, and the host has killed it.
  expect(agentsOf(second.root)).toEqual([])
  expect(readdirSync(join(second.root, '.aiswarm/run')).some((name) => name.startsWith('before-'))).toBe(true)
  first.run(['worktree', 'create', 'new', '--branch', 'new', '--host', other])
  first.run(tasksIn('new', commit('new')))
  await until('work as before', () => task(first, 1).status === 'completed')
  void worked
})

test('a merge that a restored board has forgotten is read again from the remote, and lands no second time', async () => {
  const { first, second, remote } = await withRemote()
  const other = hosts(first)[1]!.id
  first.worker()
  second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  for (const name of ['lamp', 'sofa']) {
    first.run(['worktree', 'create', name, '--branch', name, '--host', other])
    first.run(tasksIn(name, commit(name)))
  }
  const merge = (name: string) => first.run<WorktreeView>(['worktree', 'show', name]).integration
  const approved = (name: string) => first.answer(['worktree', 'approve', name], /Type the name of the worktree/, name)
  await until('the tasks', () => [1, 2].every((id) => task(first, id).status === 'completed'))
  for (const name of ['lamp', 'sofa']) first.run(['worktree', 'request', name])
  await until('the merges', () => ['lamp', 'sofa'].every((name) => merge(name)?.status === 'ready'))
  const restore = dumped(first)
  await approved('lamp')
  await until('the end of the integration', () => merge('lamp')?.status === 'integrated')
  const landed = git(remote, 'rev-parse', 'main')
  restore()
  await until('that it is noticed', () => {
    try {
      return void first.run(['task', 'list'])
    } catch (error) {
      return String(error).includes('board_restored')
    }
  })
  first.run(['fleet', 'restored', '--yes'])
  await until('the return', () => hosts(first).every(({ state, beatAt }) => state === 'up' && beatAt !== null))
  expect(merge('lamp')?.status).not.toBe('integrated')
  for (const name of ['lamp', 'sofa'])
    await until(`the end of ${name}`, async () => {
      if (merge(name)?.status === 'ready') await approved(name)
      return merge(name)?.status === 'integrated'
    })
  // The merge of the lamp is the one that had landed; that of the sofa is on top of it.
  expect(merge('lamp')?.mergeOid).toBe(landed)
  expect(git(remote, 'rev-list', '--first-parent', 'main').split('\n').slice(0, 2)).toEqual([
    merge('sofa')!.mergeOid,
    landed,
  ])
})

test('a worker that ends when nothing is left to do waits until its last commit is on the remote', async () => {
  const { first, second, remote } = await withRemote()
  const other = hosts(first)[1]!.id
  first.worker()
  await until('the first worker', () => hosts(first)[0]!.beatAt !== null)
  first.run(['worktree', 'create', 'lamp', '--branch', 'lamp', '--host', other])
  first.run(tasksIn('lamp', commit('bulb')))
  renameSync(remote, `${remote}.away`)
  let ended = false
  const worked = second.worked('--once').finally(() => (ended = true))
  await until('the task', () => task(first, 1).status === 'completed')
  const beats = new Set<string | null>()
  await until(
    'its end, or twelve heartbeats without the remote',
    () => ended || beats.add(hosts(first)[1]!.beatAt).size > 12,
    // Each of them is read by a command of its own.
    180_000,
  )
  // A host that is drained has not finished before, either.
  const waited = spawnSync(process.execPath, [main, 'host', 'drain', other, '--wait', '300ms'], {
    ...{ cwd: first.root, encoding: 'utf8', env: { ...first.environment, HOME: first.home } },
  })
  expect(waited.stdout).toMatch(/has not finished within .*: commits in lamp are not pushed\./)
  renameSync(`${remote}.away`, remote)
  expect(await worked).toMatchObject({ code: 0 })
  expect(git(remote, 'rev-parse', 'refs/aiswarm/work/lamp')).toBe(
    git(join(second.root, '..', 'lamp'), 'rev-parse', 'HEAD'),
  )
})

test('a drained host whose worker ends with nothing left is gone, never lost, and comes back with its worker', async () => {
  // Its commands take longer than a host may be silent where the machine is busy.
  const { first, second } = await withRemote('5m')
  first.worker()
  await until('the first worker', () => hosts(first)[0]!.beatAt !== null)
  expect(await second.worked('--once')).toMatchObject({ code: 0 })
  expect(hosts(first)[1]!.beatAt).not.toBeNull()
  expect(second.run(['host', 'drain'])).toMatchObject({ here: true, state: 'draining' })
  expect(await second.worked('--once')).toMatchObject({ code: 0 })
  expect(hosts(first)[1]).toMatchObject({ state: 'draining', beatAt: null, silentSince: null })
  second.worker()
  await until('its next worker', () => hosts(first)[1]!.beatAt !== null)
  expect(second.run(['host', 'resume'])).toMatchObject({ here: true, state: 'up' })
})

test('a host that was drained for the end of its service starts work again with its next worker, and no other one', async () => {
  const { first, second } = await withRemote('5m')
  first.worker()
  const worked = second.worked('--once')
  await until('the second worker', () => hosts(first)[1]!.beatAt !== null)
  expect(second.run(['host', 'drain', '--until-start', '--wait', '1m'])).toMatchObject({ here: true, finished: true })
  expect(await worked).toMatchObject({ code: 0 })
  const last = second.worker()
  await until('its next worker', () => hosts(first)[1]!.state === 'up')
  // A person drains it, and then its service ends.
  second.run(['host', 'drain'])
  second.run(['host', 'drain', '--until-start', '--wait', '1m'])
  last.kill()
  const before = hosts(first)[1]!.beatAt!
  second.worker()
  await until('another worker', () => hosts(first)[1]!.beatAt! > before)
  expect(hosts(first)[1]!.state).toBe('draining')
})
