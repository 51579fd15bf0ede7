import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '../../domain/agent/actor.ts'
import { LOCAL } from '../../domain/host/host.ts'
import type { Core } from '../../operations/door/core.ts'
import { perform } from '../../operations/door/perform.ts'
import { claimFirstHost } from '../../operations/hosts/claim-first-host.ts'
import { readOwnHost } from '../../operations/hosts/read-own-host.ts'
import { runFolder } from '../files/places.ts'
import { placeHere } from '../processes/identity.ts'

// Which host of the board a checkout is. Its folder remembers that, so every process that shares the folder is the same
// host, in a container too.

const hostPath = (root: string): string => join(runFolder(root), 'host')

/**
 * The host that this checkout is; undefined on a board in a database file, which has one, and null for a checkout that has
 * not joined.
 */
export const ownHost = async (core: Core, actor: Actor): Promise<string | null | undefined> => {
  if (core.store.engine === 'SQLite') return undefined
  const path = hostPath(core.root)
  const remembered = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (remembered !== '' && (await perform(core, readOwnHost, { hostId: remembered }, actor)).known) return remembered
  const { claimed } = await perform(
    core,
    claimFirstHost,
    { name: hostname(), machine: machineHere(), root: core.root },
    actor,
  )
  if (claimed) rememberHost(core.root, LOCAL)
  return claimed ? LOCAL : null
}

/** Names the machine: an id of its installation, or its host name. */
export const machineHere = (): string => placeHere()?.replace(/^[^@]*@|#.*$/g, '') ?? hostname()

export const rememberHost = (root: string, hostId: string): void => {
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  writeFileSync(hostPath(root), `${hostId}\n`, { mode: 0o600 })
}
