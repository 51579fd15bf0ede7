import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'

// Two queues of the field on PostgreSQL, for comparison. They have 78 packages in all and are not among the dependencies of
// the project: the row that names them installs them here.

const folder = resolve(import.meta.dirname, '../node_modules/.cache/aiswarm-peers')

export const peers = { 'pg-boss': '12.38.0', 'graphile-worker': '0.18.0' } as const
export type Peer = keyof typeof peers

/** Installs both; false where npm cannot. */
export const installPeers = (): boolean => {
  mkdirSync(folder, { recursive: true })
  const wanted = Object.entries(peers).map(([name, version]) => `${name}@${version}`)
  const given = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--prefix', folder]
  try {
    execFileSync('npm', ['install', ...given, ...wanted], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts processes of a peer, each with its own connection. */
export const startPeer = async (
  peer: Peer,
  url: string,
  processes: number,
  jobs: number,
): Promise<readonly ChildProcess[]> => {
  const start = async (): Promise<ChildProcess> => {
    const child = fork(resolve(import.meta.dirname, 'workers/peer.ts'), [folder, peer, url, String(jobs)])
    await once(child, 'message')
    return child
  }
  // The first makes the tables.
  const first = await start()
  return [first, ...(await Promise.all(Array.from({ length: processes - 1 }, start)))]
}
