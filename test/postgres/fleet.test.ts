import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HostView } from '../../src/operations/hosts/list-hosts.ts'
import { gitEnvironment, repository, sh, until } from '../effects/swarm.ts'
import { newAddress, ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { endProcessesOf } from '../support/ending.ts'

// Two hosts on one board, each with a clone, a home and a worker of its own.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')

interface Host {
  readonly root: string
  /** Runs a command there; returns its JSON. */
  readonly run: <T>(words: readonly string[], input?: string) => T
  readonly worker: (...words: readonly string[]) => ChildProcess
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
      const child = spawn(process.execPath, [main, 'worker', ...words], { cwd: root, env, stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
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
  readonly status: string
  readonly targetWorktree: string
  readonly errorMessage: string | null
}

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
  const shown = (n: number): Shown => first.run<Shown>(['task', 'show', String(n)])
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
