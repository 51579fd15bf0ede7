import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

// Clusters of PostgreSQL for tests: each in a temporary folder, reached by a socket in it, ended with the run.

/** The scripts of the program for PostgreSQL. */
export const postgresScripts = resolve(import.meta.dirname, '../../migrations/postgres')

export interface Cluster {
  /** The folder of its socket, its data and its log. */
  readonly folder: string
  /** The address of a database of it; `user` may do everything there. */
  readonly url: (database?: string, user?: string) => string
  /** Ends the server: at once and without a checkpoint, or in order. */
  readonly stop: (mode?: 'immediate' | 'fast') => void
  readonly start: () => void
  /** Runs statements as the owner. */
  readonly sql: (statements: string, database?: string) => void
  /** Ends the server and removes everything. */
  readonly remove: () => void
}

/** The folder of PostgreSQL's programs, the newest that is installed; undefined if there is none. */
export const postgresPrograms = (): string | undefined => {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, 'initdb')))
  if (onPath !== undefined) return dirname(realpathSync(join(onPath, 'initdb')))
  const versioned = globSync('/usr/lib/postgresql/*/bin/initdb').sort(byVersion).at(-1)
  return versioned && dirname(versioned)
}

/** A program on PATH, or in one of these folders. */
export const programOnPath = (name: string, also: readonly string[] = []): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...also]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const byVersion = (one: string, other: string): number => versionIn(one) - versionIn(other)
const versionIn = (path: string): number => Number(/\/(\d+)\//.exec(path)?.[1] ?? 0)

export interface ClusterOptions {
  /** Whether commits wait for the disk. */
  readonly fsync?: boolean
  /** The folder in which its own folder is made. */
  readonly within?: string
  /** Words that run a program where the server is, such as a network namespace. */
  readonly inside?: readonly string[]
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a cluster. Refuses if no PostgreSQL is installed. */
export const startCluster = ({
  fsync = true,
  within = tmpdir(),
  inside = [],
  settings = {},
}: ClusterOptions = {}): Cluster => {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is not installed; apt-get install postgresql')
  const folder = mkdtempSync(join(within, 'aiswarm-pg-'))
  const data = join(folder, 'data')
  const as = serverUser()
  chmodSync(folder, 0o755)
  if (as) chownSync(folder, as.uid, as.gid)
  const wordsOf = (program: string, args: readonly string[]): readonly string[] => [
    ...inside,
    ...asServer([join(programs, program), ...args]),
  ]
  const run = (program: string, args: readonly string[]): void => {
    const words = wordsOf(program, args)
    execFileSync(words[0]!, words.slice(1), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    })
  }
  run('initdb', ['-D', data, '-U', 'owner', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', ...(fsync ? [] : ['-N'])])
  const options = Object.entries({
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '100',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...settings,
  }).map(([name, value]) => `-c ${name}='${value}'`)
  const control = (...args: readonly string[]): void => run('pg_ctl', ['-D', data, '-w', '-t', '60', ...args])
  const start = (): void => control('start', '-l', join(folder, 'log'), '-o', options.join(' '))
  const stop: Cluster['stop'] = (mode = 'fast') => control('stop', '-m', mode)
  const end = endWithThisProcess(folder, wordsOf('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']))
  start()
  return {
    folder,
    url: (database = 'postgres', user = 'owner') => `postgresql://${user}@localhost/${database}?host=${folder}`,
    start,
    stop,
    sql: (statements, database = 'postgres') =>
      run('psql', [
        '-h',
        folder,
        ...(settings['port'] ? ['-p', settings['port']] : []),
        '-U',
        'owner',
        '-v',
        'ON_ERROR_STOP=1',
        '-c',
        statements,
        database,
      ]),
    remove: () => {
      try {
        stop('immediate')
      } catch {
        // It was stopped already.
      }
      rmSync(folder, { recursive: true, force: true })
      end()
    },
  }
}

/**
 * Has a cluster stopped and its folder removed when this process ends in any way: a shell waits for the end of a pipe that
 * only this process holds. Returns the function that ends the shell.
 */
const endWithThisProcess = (folder: string, stop: readonly string[]): (() => void) => {
  const shell = spawn('/bin/sh', ['-c', 'cat >/dev/null; "$@"; rm -rf "$0"', folder, ...stop], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the group of the tests does not end it.
    detached: true,
  })
  shell.unref()
  ;(shell.stdin as Socket).unref()
  return () => void shell.stdin.end()
}

/** The variable with the address of the cluster that the tests of a run share. */
export const CLUSTER = 'AISWARM_TEST_PG'

/** Starts the cluster that the tests of a run share, if PostgreSQL is installed and the environment names no other server. */
export const sharedCluster = async (): Promise<Cluster | undefined> => {
  if (process.env[CLUSTER] !== undefined || postgresPrograms() === undefined) return undefined
  // Each program of a story has up to six connections.
  const cluster = startCluster({ fsync: false, settings: { max_connections: '300' } })
  process.env[CLUSTER] = cluster.url()
  return cluster
}

/** A command as the user who owns the cluster. */
export const asServer = (command: readonly string[]): readonly string[] => {
  const as = serverUser()
  return as ? ['setpriv', `--reuid=${as.uid}`, `--regid=${as.gid}`, '--clear-groups', '--', ...command] : command
}

/** A port of this machine that nothing uses now. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** PostgreSQL refuses to run as root; the user of Debian's package, or the one without rights, owns the cluster then. */
export const serverUser = (): { uid: number; gid: number } | undefined => {
  if (userInfo().uid !== 0) return undefined
  const id = (flag: string, name: string): number =>
    Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN)
  const name = Number.isNaN(id('-u', 'postgres')) ? 'nobody' : 'postgres'
  return { uid: id('-u', name), gid: id('-g', name) }
}
