import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '../../domain/agent/actor.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { type Beat, whyNoWrite } from '../../domain/host/heartbeat.ts'
import type { Core } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { claimFirstHost, readOwnHost } from '../../operations/hosts/own-host.ts'
import { runFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
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
  const remembered = rememberedHost(core.root)
  if (remembered !== undefined) return standFor(core, actor, remembered)
  const { claimed } = await perform(
    core,
    claimFirstHost,
    { name: hostname(), machine: machineHere(), root: core.root },
    actor,
  )
  if (!claimed) return null
  rememberHost(core.root, LOCAL)
  return standFor(core, actor, LOCAL)
}

/** Has the store refuse writes for a host that must not write; refuses at once if it must not write now. */
const standFor = async (core: Core, actor: Actor, hostId: string): Promise<string> => {
  const seen = (): Beat | undefined => seenBeat(core.root)
  core.store.standFor?.({ hostId, seen })
  // Read first, since another process of this host may beat meanwhile.
  const last = seen()
  const refusal = whyNoWrite((await perform(core, readOwnHost, { hostId }, actor)) ?? undefined, last)
  if (refusal) throw refusal
  return hostId
}

/** The id of the host that this checkout was last. */
export const rememberedHost = (root: string): string | undefined => {
  const path = hostPath(root)
  return (existsSync(path) && readFileSync(path, 'utf8').trim()) || undefined
}

/** Names the machine: an id of its installation, or its host name. */
export const machineHere = (): string => placeHere()?.replace(/^[^@]*@|#.*$/g, '') ?? hostname()

/** Without an id the checkout stops being a host. */
export const rememberHost = (root: string, hostId: string | undefined): void => {
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  rmSync(beatPath(root), { force: true })
  if (hostId === undefined) rmSync(hostPath(root), { force: true })
  else writeFileSync(hostPath(root), `${hostId}\n`, { mode: 0o600 })
}

/** The time at which a host joined, before it did. */
const NOT_JOINED = '-'

export const beatPath = (root: string): string => join(runFolder(root), 'beat')

/** The last heartbeat of this host that the board has acknowledged; undefined if there was none, or the file is damaged. */
export const seenBeat = (root: string): Beat | undefined => {
  const path = beatPath(root)
  if (!existsSync(path)) return undefined
  const found = /^(\d+) (\d+) (\S+)\n$/.exec(readFileSync(path, 'utf8'))
  if (!found) return undefined
  const [, generation, seq, joinedAt] = found
  return { generation: Number(generation), seq: Number(seq), joinedAt: joinedAt === NOT_JOINED ? null : joinedAt! }
}

export const rememberBeat = (root: string, { generation, seq, joinedAt }: Beat): void =>
  replaceFile(beatPath(root), `${generation} ${seq} ${joinedAt ?? NOT_JOINED}\n`)
