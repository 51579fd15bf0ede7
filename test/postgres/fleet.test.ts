import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HostView } from '../../src/operations/hosts/list-hosts.ts'
import { gitEnvironment, repository, sh, until } from '../effects/swarm.ts'
import { newAddress, ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { endProcessesOf } from '../support/ending.ts'

// Two hosts on one board, each with a clone, a home, and a worker in a pid namespace of its own: no process of one can be
// seen by the other, and the end of a worker is the end of its host.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')

/** The words that start a process in a namespace, by root or by any user; none where the system allows neither. */
const unshare =
  [['-pf'], ['-Urpf']]
    .map((flags) => ['unshare', ...flags, '--mount-proc', '--kill-child'])
    .find(([program, ...words]) => spawnSync(program!, [...words, 'true']).status === 0) ?? []

interface Worker {
  /** Ends the worker, and with its namespace all its agents. */
  readonly kill: () => void
  /** Stops the worker alone, as a machine that is cut off; its agents continue. */
  readonly stop: () => void
  readonly wake: () => void
}

interface Host {
  readonly root: string
  /** Runs a command there; returns its JSON. */
  readonly run: <T>(words: readonly string[], input?: string) => T
  readonly worker: (...words: readonly string[]) => Worker
}

const hostAt = (root: string): Host => {
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home)
  const env = { ...gitEnvironment, HOME: home }
  onTestFinished(() => endProcessesOf(root))
  return {
    root,
    run: (words, input = '') =>
      JSON.parse(
        execFileSync(process.execPath, [main, '--json', ...words], { cwd: root, env, input, encoding: 'utf8' }),
      ) as never,
    worker: (...words) => {
      const [program, ...line] = [...unshare, process.execPath, main, 'worker', ...words]
      const child = spawn(program!, line, { cwd: root, env, stdio: 'ignore', detached: true })
      const signal = (name: NodeJS.Signals): void => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, name)
      }
      onTestFinished(() => signal('SIGKILL'))
      return { kill: () => signal('SIGKILL'), stop: () => signal('SIGSTOP'), wake: () => signal('SIGCONT') }
    },
  }
}

/** A board on the server with two hosts, of which none runs a worker yet. */
const twoHosts = async (): Promise<{ first: Host; second: Host }> => {
  const root = repository()
  const first = hostAt(root)
  const { url, schema } = newAddress(cluster)
  first.run(['fleet', 'init', '--database', `${url}&schema=${schema}`])
  const clone = join(temporaryFolder(), 'other', 'shop')
  mkdirSync(join(clone, '..'))
  sh(root, `git clone --quiet "${root}" "${clone}"`)
  const second = hostAt(clone)
  const { code } = first.run<{ code: string }>(['fleet', 'join-code', '--labels', 'big'])
  second.run(['fleet', 'join'], `${code}\n`)
  return { first, second }
}

const hosts = ({ run }: Host): readonly HostView[] => run<readonly HostView[]>(['host', 'list'])
const inTheOther = ({ root }: Host, path: string): boolean => path.startsWith(join(root, '..'))

interface Shown {
  readonly attempt: number
  readonly status: string
  readonly targetWorktree: string
  readonly errorMessage: string | null
}

const task = ({ run }: Host, n: number): Shown => run<Shown>(['task', 'show', String(n)])

/** A task in a worktree on a host, which works until a file `done` is there. */
const addOn = ({ run }: Host, host: string, name: string): void => {
  run(['worktree', 'create', name, '--branch', name, '--host', host])
  run([
    ...['task', 'add', 'a task', '--persona', 'implementer', '--worktree', name],
    ...['--command', 'echo $$ >> pids; until [ -e done ]; do sleep 0.05; done; rm done pids'],
  ])
}

/** The folder of a worktree of the second host. */
const folderOf = ({ root }: Host, name: string): string => join(root, '..', name)

test('agents of one board run on two hosts, each in a worktree beside its clone', async () => {
  const { first, second } = await twoHosts()
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
  const { first, second } = await twoHosts()
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
  // Only a process that could have seen the agent may find that it is gone.
  first.worker()
  await until('the first host to be heard of again', () => hosts(first)[0]!.silentSince === null)
  expect(task(first, 1)).toMatchObject({ status: 'in_progress', attempt: 1 })
})

test('a lost host that comes back kills its former agents, and works again', async () => {
  const { first, second } = await twoHosts()
  const other = hosts(first)[1]!.id
  first.worker()
  const worker = second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => beatAt !== null))
  addOn(first, other, 'away')
  const folder = folderOf(second, 'away')
  await until('its agent', () => existsSync(join(folder, 'pids')))
  // The shim has the command in its line too.
  const commands = () => sh(folder, 'ps -eo args | grep -c "[e]cho .* >> pids" || true')
  const ofOne = commands()
  worker.stop()
  first.run(['host', 'lost', other, '--yes'])
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
