import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository, sh, until } from '../effects/swarm.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { agentsEndWithTheirWorker, type Host, hosts, schemaOf, type Shown, task, twoHosts } from '../support/hosts.ts'

const cluster = ownCluster()
const inTheOther = ({ root }: Host, path: string): boolean => path.startsWith(join(root, '..'))

/** A task in a worktree on a host, which works until a file `done` is there. */
const addOn = ({ run }: Host, host: string, name: string): void => {
  run(['worktree', 'create', name, '--branch', name, '--host', host])
  run([
    ...['task', 'add', 'a task', '--persona', 'implementer', '--worktree', name],
    ...['--command', 'echo $$ >> pids; until [ -e done ]; do sleep 0.05; done; rm done pids'],
  ])
}

/** True if a process works on the command of such a task in the folder of its worktree. */
const isOfTask = (pid: string, folder: string): boolean => {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === folder && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('>> pids')
    )
  } catch {
    // It has ended meanwhile.
    return false
  }
}

/** The folder of a worktree of the second host. */
const folderOf = ({ root }: Host, name: string): string => join(root, '..', name)

test('agents of one board run on two hosts, each in a worktree beside its clone', async () => {
  const { first, second } = await twoHosts(cluster)
  expect(hosts(second).map(({ here, labels }) => ({ here, labels }))).toEqual([
    { here: false, labels: [] },
    { here: true, labels: ['big'] },
  ])
  const add = (n: number): void =>
    void first.run([
      ...['task', 'add', `task ${n}`, '--persona', 'implementer', '--worktree', 'auto'],
      ...['--command', 'pwd > place; until [ -e done ]; do sleep 0.05; done; rm done'],
    ])
  for (const n of [1, 2]) add(n)
  first.worker('--max-parallel', '1')
  second.worker('--max-parallel', '1')
  const shown = (n: number): Shown => task(first, n)
  await until('both tasks to be worked on', () => [1, 2].every((n) => shown(n).status === 'in_progress'))
  const views = first.run<readonly { name: string; path: string }[]>(['worktree', 'list'])
  const places = [1, 2].map((n) => views.find(({ name }) => name === shown(n).targetWorktree)!.path)
  expect(places.map((path) => inTheOther(second, path)).sort()).toEqual([false, true])
  for (const path of places) sh(path, 'grep -q "$PWD" place; touch done')
  await until('their ends', () => [1, 2].every((n) => shown(n).status === 'completed'))
  expect(hosts(first).map(({ running, worktrees }) => ({ running, worktrees }))).toEqual([
    { running: 0, worktrees: 1 },
    { running: 0, worktrees: 1 },
  ])
})

test('a host whose worker plans is killed, and another one plans; no other host touches its agent', async () => {
  const { first, second } = await twoHosts(cluster)
  const [one, other] = hosts(first).map(({ id }) => id) as [string, string]
  const leader = first.worker()
  await until('the first worker', () => hosts(first)[0]!.beatAt !== null)
  second.worker()
  await until('the second worker', () => hosts(first)[1]!.beatAt !== null)
  addOn(first, one, 'mine')
  await until('its agent', () => task(first, 1).status === 'in_progress')
  leader.kill()
  addOn(first, other, 'yours')
  await until('the agent of the other', () => task(first, 2).status === 'in_progress')
  sh(folderOf(second, 'yours'), 'touch done')
  await until('its end', () => task(first, 2).status === 'completed')
  expect(task(first, 1)).toMatchObject({ status: 'in_progress', attempt: 1 })
  // Only its own host may find that it is gone: there, the pipe that it held is cut.
  first.worker()
  await until('the first host to be heard of again', () => hosts(first)[0]!.silentSince === null)
  if (agentsEndWithTheirWorker) {
    await until('the next attempt', () => task(first, 1).attempt === 2 && task(first, 1).status === 'in_progress')
    const ends = first.run<{ attempts: readonly { outcome: string; error: string | null }[] }>(['task', 'show', '1'])
    expect(ends.attempts[0]).toMatchObject({ outcome: 'lost' })
  } else expect(task(first, 1)).toMatchObject({ status: 'in_progress', attempt: 1 })
})

test('a task that waits for a silent host starts when the host is heard of again, although nothing else happens', async () => {
  const config = 'lease: {ttl: 3s, heartbeat: 500ms}\nfleet: {silentAfter: 2s}\n'
  const { first, second } = await twoHosts(cluster, { root: repository({ '.aiswarm/config.yaml': config }) })
  first.worker()
  await until('the first worker', () => hosts(first)[0]!.beatAt !== null)
  const worker = second.worker()
  await until('the second worker', () => hosts(first)[1]!.beatAt !== null)
  first.run(['worktree', 'create', 'away', '--branch', 'away', '--host', hosts(first)[1]!.id])
  await until('its folder', () => existsSync(folderOf(second, 'away')))
  worker.stop()
  await until('its silence', () => hosts(first)[1]!.silentSince !== null)
  first.run(['task', 'add', 'a task', '--persona', 'implementer', '--worktree', 'away', '--command', 'true'])
  await until('the reason', () => first.run<{ reason: string }>(['task', 'show', '1']).reason.includes('silent'))
  worker.wake()
  await until('its end', () => task(first, 1).status === 'completed')
})

test('a lost host that comes back kills its former agents, and works again', async () => {
  const { first, second } = await twoHosts(cluster)
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  addOn(first, other, 'away')
  const folder = folderOf(second, 'away')
  await until('its agent', () => existsSync(join(folder, 'pids')))
  const commands = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOfTask(pid, folder)).length
  const ofOne = commands()
  expect(ofOne).toBeGreaterThan(0)
  worker.stop()
  // If it was stopped in the middle of a transaction, the server ends that first.
  await until('the loss', () => {
    try {
      return first.run(['host', 'lost', other, '--yes'])
    } catch {
      return undefined
    }
  })
  expect(task(first, 1)).toMatchObject({ status: 'pending', attempt: 1 })
  worker.wake()
  await until('the next attempt', () => task(first, 1).status === 'in_progress')
  expect(task(first, 1).attempt).toBe(2)
  expect(commands()).toBe(ofOne)
  sh(folder, 'touch done')
  await until('its end', () => task(first, 1).status === 'completed')
  expect(hosts(first).map(({ state, epoch }) => ({ state, epoch }))).toEqual([
    { state: 'up', epoch: 1 },
    { state: 'up', epoch: 2 },
  ])
})

test('a person reads on one host what an agent on another prints, and its last output when that host is lost', async () => {
  const { first, second } = await twoHosts(cluster)
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  first.run(['worktree', 'create', 'away', '--branch', 'away', '--host', other])
  first.run([
    ...['task', 'add', 'a task', '--persona', 'implementer', '--worktree', 'away'],
    ...['--command', 'echo the lamp is lit; until [ -e done ]; do sleep 0.05; done'],
  ])
  const printed = () => first.run<readonly { message: string }[]>(['agent', 'logs', 'implementer-1'])
  const says = (words: string) => printed().some(({ message }) => message.includes(words)) || undefined
  await until('its output', () => task(first, 1).status === 'in_progress' && says('the lamp is lit'))
  // The end of its output is on the board within seconds, and stays there when its host does not.
  await until('its end on the board', async () => {
    const rows = await runSql<{ content: string }>(cluster, `SELECT content FROM "${schemaOf(first)}".run_tails`)
    return rows.some(({ content }) => content.includes('the lamp is lit'))
  })
  worker.stop()
  await until('the loss', () => {
    try {
      return first.run(['host', 'lost', other, '--yes'])
    } catch {
      return undefined
    }
  })
  expect(says('is lost, so it cannot be asked')).toBe(true)
  expect(says('the lamp is lit')).toBe(true)
})
