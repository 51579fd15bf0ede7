import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { addSession, newAddress, openAt, ownCluster, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { asServer, postgresPrograms, postgresScripts, serverUser } from '../support/postgres.ts'

// A real replica, which follows the primary and cannot be written.

const cluster = ownCluster()

/** Starts a server that follows the cluster; returns the folder of its socket. */
const startReplica = (): string => {
  const folder = join(cluster.folder, 'replica')
  const data = join(folder, 'data')
  mkdirSync(folder)
  const as = serverUser()
  if (as) chownSync(folder, as.uid, as.gid)
  const run = (program: string, ...args: readonly string[]): void => {
    const [file, ...words] = asServer([join(postgresPrograms()!, program), ...args])
    execFileSync(file!, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  run('pg_basebackup', '-h', cluster.folder, '-U', 'owner', '-D', data, '-R', '-X', 'stream', '-c', 'fast')
  const options = `-c unix_socket_directories='${folder}' -c listen_addresses=''`
  run('pg_ctl', '-D', data, '-w', '-t', '60', '-l', join(folder, 'log'), '-o', options, 'start')
  onTestFinished(() => run('pg_ctl', '-D', data, '-m', 'immediate', 'stop'))
  return folder
}

test('a replica shows the board, and a write names what to change', async () => {
  const address = newAddress(cluster)
  const primary = await openAt(address)
  await addSession(primary, 'before')
  const folder = startReplica()
  const there = { ...address, url: address.url.replace(cluster.folder, folder) }
  const store = await openAt(there)
  await expect.poll(() => sessionsIn(store)).toEqual(['before'])
  const { code, message } = await refusal(addSession(store, 'late'))
  expect(code).toBe('store_read_only')
  expect(message).toMatch(/is a read-only replica\. Name the primary server in the store's address\.$/)
  await addSession(primary, 'then')
  await expect.poll(() => sessionsIn(store)).toEqual(['before', 'then'])
  const none = await refusal(openPostgres({ ...there, schema: 'none' }, { migrations: postgresScripts }))
  expect(none.message).toContain("is a read-only replica. Name the primary server in the store's address.")
})
