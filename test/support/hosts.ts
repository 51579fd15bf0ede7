import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pty from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import type { HostView } from '../../src/operations/hosts/list.ts'
import { gitEnvironment, repository, sh } from '../effects/swarm.ts'
import { newAddress } from './board-on-server.ts'
import { temporaryFolder } from './core.ts'
import { type Cluster, freePort } from './postgres.ts'
import { endProcessesOf } from './processes.ts'

// Hosts of one board, each with a clone, a home, and a worker in a pid namespace of its own: no process of one can be seen
// by the other, and the end of a worker is the end of its host.

const built = resolve(import.meta.dirname, '../../dist/main.js')

/** The words that start a process in a namespace, by root or by any user; none where the system allows neither. */
const unshare =
  [['-pf'], ['-Urpf']]
    .map((flags) => ['unshare', ...flags, '--mount-proc', '--kill-child'])
    .find(([program, ...words]) => spawnSync(program!, [...words, 'true']).status === 0) ?? []

/** True if each worker has a namespace of its own, whose end is that of its agents. */
export const agentsEndWithTheirWorker = unshare.length > 0

interface Worker {
  /** Ends the worker, and with its namespace all its agents. */
  readonly kill: () => void
  /** Stops the worker alone, as a machine that is cut off; its agents continue. */
  readonly stop: () => void
  readonly wake: () => void
}

/** A user of the machine, by numbers. */
interface User {
  readonly uid?: number
  readonly gid?: number
}

export interface Host {
  readonly root: string
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs a command there; returns its JSON. */
  readonly run: <T>(words: readonly string[], input?: string) => T
  readonly worker: (...words: readonly string[]) => Worker
  /** Runs a worker to its end; returns its exit code and what it printed. */
  readonly worked: (...words: readonly string[]) => Promise<{ readonly code: number | null; readonly said: string }>
  /** Runs a command at a terminal, where a person types an answer when asked for it; returns what the terminal showed. */
  readonly answer: (words: readonly string[], question: RegExp, answer: string) => Promise<string>
}

/** `as`: the user whose programs they are, otherwise that of the tests; `main`: another program than the built one. */
export const hostAt = (
  root: string,
  environment: Readonly<Record<string, string>> = {},
  as: User = {},
  { main = built, home = join(temporaryFolder(), 'home') }: { readonly main?: string; readonly home?: string } = {},
): Host => {
  mkdirSync(home, { recursive: true })
  if (as.uid !== undefined) chownSync(home, as.uid, as.gid!)
  // The machine of the tests is busy, and each host is all of it.
  const env = { ...gitEnvironment, AISWARM_MAX_LOAD: 'off', ...environment, HOME: home }
  onTestFinished(() => endProcessesOf(root))
  return {
    ...{ root, home },
    environment: env,
    run: (words, input = '') =>
      JSON.parse(
        execFileSync(process.execPath, [main, '--json', ...words], { ...as, cwd: root, env, input, encoding: 'utf8' }),
      ) as never,
    answer: (words, question, answer) =>
      new Promise((resolve) => {
        const terminal = pty.spawn(process.execPath, [main, ...words], { cwd: root, env, cols: 120, rows: 40 })
        let shown = ''
        let asked = false
        terminal.onData((piece) => {
          shown += piece
          if (asked || !question.test(shown)) return
          asked = true
          terminal.write(`${answer}\r`)
        })
        terminal.onExit(() => resolve(shown))
      }),
    worked: (...words) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [main, 'worker', ...withRoom(words)], { ...as, cwd: root, env })
        let said = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
        child.on('close', (code) => resolve({ code, said }))
        onTestFinished(() => void child.kill('SIGKILL'))
      }),
    worker: (...words) => {
      const [program, ...line] = [...unshare, process.execPath, main, 'worker', ...withRoom(words)]
      const child = spawn(program!, line, { cwd: root, env, stdio: 'ignore', detached: true })
      const signal = (name: NodeJS.Signals): void => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, name)
      }
      onTestFinished(() => signal('SIGKILL'))
      return { kill: () => signal('SIGKILL'), stop: () => signal('SIGSTOP'), wake: () => signal('SIGCONT') }
    },
  }
}

/** Otherwise the processors of the machine of the tests would decide. */
const withRoom = (words: readonly string[]): readonly string[] =>
  words.includes('--max-parallel') ? words : [...words, '--max-parallel', '8']

/** A board on the server with two hosts, of which none runs a worker yet; `remote` is the address of a bare repository. */
export const twoHosts = async (
  cluster: Cluster,
  {
    root = repository(),
    remote,
    user = 'owner',
    environment = {},
  }: {
    readonly root?: string
    readonly remote?: string
    /** The role of the server that both log in as. */
    readonly user?: string
    /** Variables that both have. */
    readonly environment?: Readonly<Record<string, string>>
  } = {},
): Promise<{ first: Host; second: Host }> => {
  const first = hostAt(root, environment)
  const { url, schema } = newAddress(cluster, { user })
  first.run([
    'fleet',
    'init',
    '--database',
    `${url}&schema=${schema}`,
    ...(remote === undefined ? [] : ['--remote', remote]),
  ])
  const clone = join(temporaryFolder(), 'other', 'shop')
  mkdirSync(join(clone, '..'))
  sh(root, `git clone --quiet "${remote ?? root}" "${clone}"`)
  const second = hostAt(clone, environment)
  const { code } = first.run<{ code: string }>(['fleet', 'join-code', '--labels', 'big'])
  second.run(['fleet', 'join'], `${code}\n`)
  return { first, second }
}

export const hosts = ({ run }: Host): readonly HostView[] => run<readonly HostView[]>(['host', 'list'])

/** The schema of the board, from the address that the clone has. */
export const schemaOf = ({ root }: Host): string =>
  /^schema: *"?([^"\n]+)/m.exec(readFileSync(join(root, '.aiswarm', 'store.yaml'), 'utf8'))![1]!

export interface Shown {
  readonly attempt: number
  readonly status: string
  readonly targetWorktree: string
  readonly errorMessage: string | null
}

export const task = ({ run }: Host, n: number): Shown => run<Shown>(['task', 'show', String(n)])

/** A bare repository of these commits, with the address of its git server. */
export const served = async (root: string): Promise<{ readonly folder: string; readonly url: string }> => {
  const served = temporaryFolder()
  const [folder, port] = [join(served, 'shop.git'), await freePort()]
  sh(root, `git clone --quiet --bare . "${folder}"; git -C "${folder}" config http.receivepack true`)
  const server = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../fleet/git-server.ts'), served, '127.0.0.1', String(port)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void server.stdin.end())
  await once(server.stdout, 'data')
  return { folder, url: `http://127.0.0.1:${port}/shop.git` }
}
