import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { asServer, type Cluster, postgresPrograms, serverUser } from './postgres.ts'

export interface Replica {
  /** The folder of its socket. */
  readonly folder: string
  /** Has it follow the cluster no more, although it still runs. */
  readonly cut: () => void
  /** Makes it a server of its own, with these lines of postgresql.conf. */
  readonly promote: (settings: Readonly<Record<string, string>>) => void
  readonly remove: () => void
}

interface ReplicaOptions {
  /** Names it, as `synchronous_standby_names` does. */
  readonly name?: string
  /** The port of the cluster. */
  readonly port?: number
  /** Words that run a program where the servers are. */
  readonly inside?: readonly string[]
  /** Lines of postgresql.conf, beside those of the cluster. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a server that follows the cluster. */
export const startReplica = (
  cluster: Cluster,
  { name = 'replica', port = 5432, inside = [], settings = {} }: ReplicaOptions = {},
): Replica => {
  const folder = join(cluster.folder, name)
  const data = join(folder, 'data')
  mkdirSync(folder)
  const as = serverUser()
  if (as) chownSync(folder, as.uid, as.gid)
  const run = (program: string, ...args: readonly string[]): void => {
    const [file, ...words] = [...inside, ...asServer([join(postgresPrograms()!, program), ...args])]
    execFileSync(file!, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const control = (...args: readonly string[]): void => run('pg_ctl', '-D', data, '-w', '-t', '60', ...args)
  const start = (lines: Readonly<Record<string, string>>): void => {
    const options = Object.entries({ unix_socket_directories: folder, listen_addresses: '', ...lines })
    control('-l', join(folder, 'log'), '-o', options.map(([key, value]) => `-c ${key}='${value}'`).join(' '), 'start')
  }
  const source = `host=${cluster.folder} port=${port} user=owner application_name=${name}`
  run('pg_basebackup', '-d', source, '-D', data, '-R', '-X', 'stream', '-c', 'fast')
  start(settings)
  const sql = (statement: string): void =>
    run('psql', '-h', folder, '-p', settings['port'] ?? '5432', '-U', 'owner', '-c', statement, 'postgres')
  return {
    folder,
    cut: () => {
      sql("ALTER SYSTEM SET primary_conninfo = ''")
      sql('SELECT pg_reload_conf()')
    },
    promote: (lines) => {
      control('promote')
      control('stop', '-m', 'fast')
      start(lines)
    },
    remove: () => {
      try {
        control('stop', '-m', 'immediate')
      } catch {
        // It was stopped already.
      }
    },
  }
}
