import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entryFor } from '../../domain/sandbox/allowlist.ts'
import type { Network } from '../../domain/settings/agent-settings.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { runFolder } from '../files/paths.ts'
import type { World } from '../world.ts'
import { FORWARD, PROXY } from './entry.ts'

// The network of a program inside: that of the machine, its own loopback alone, or that with a way to listed hosts.

export interface NetworkInside {
  readonly network: Network
  /** For an allowlist. */
  readonly hosts: readonly string[]
}

type Subject = { readonly personaId: string; readonly kind: string }

/** The network of an agent: by its persona first, with the hosts of its CLI and of the addresses that a person gave that. */
export const networkOfAgent = ({ core, kinds }: Pick<World, 'core' | 'kinds'>, subject: Subject): NetworkInside => {
  const { sandbox, agents } = core.settings
  const own = Object.hasOwn(agents.personas, subject.personaId) ? agents.personas[subject.personaId] : undefined
  return {
    network: own?.network ?? sandbox.network,
    hosts: [...sandbox.hosts, ...(kinds.get(subject.kind)?.hosts ?? []), ...givenHosts(core.settings, subject.kind)],
  }
}

/** Addresses of a model that the person's environment, or the configuration of the kind, names. */
const givenHosts = ({ agents }: Settings, kind: string): readonly string[] =>
  [process.env, Object.hasOwn(agents.kinds, kind) ? agents.kinds[kind]!.env : {}].flatMap((environment) =>
    Object.entries(environment).flatMap(([name, value]) => {
      if (!/_(?:BASE_URL|API_BASE|ENDPOINT)$/.test(name) || value === undefined || !URL.canParse(value)) return []
      const { hostname, port, protocol } = new URL(value)
      return hostname === '' ? [] : [`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`]
    }),
  )

/** The words before a program that give it its network; null for that of the machine. `folder` has the proxy's socket. */
export const networkWords = (
  self: readonly string[],
  folder: string,
  { network, hosts }: NetworkInside,
): readonly string[] | null => {
  if (network === 'open') return null
  return network === 'none' ? [] : [...self, FORWARD, folder, PROXY, loopbackServices(hosts).join(',')]
}

/** Services of this machine that a person listed: they are found inside at the same port. */
const loopbackServices = (hosts: readonly string[]): readonly string[] => [
  ...new Map(
    hosts.flatMap((host) => {
      const port = /^(?:localhost|127\.0\.0\.1):(\d+)$/.exec(host)?.[1]
      return port === undefined ? [] : [[port, host] as const]
    }),
  ).values(),
]

/** Further files that a program with an allowlist needs inside. */
export const forwarderPrograms = (self: readonly string[]): readonly string[] => [
  ...self,
  dirname(dirname(self.at(-1)!)),
]

/** The file with the refused hosts of a board. */
export const refusedPath = (root: string): string => join(runFolder(root), 'refused-hosts')

/** Hosts that were refused lately, with the names of the programs that asked for them; the newest last. */
export const refusedHosts = (root: string): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>()
  const lines = existsSync(refusedPath(root)) ? readFileSync(refusedPath(root), 'utf8').split('\n').slice(-500) : []
  for (const line of lines) {
    const [, who, host] = /^(\S+) (\S+)$/.exec(line) ?? []
    if (who !== undefined && host !== undefined) found.set(host, [...new Set([...(found.get(host) ?? []), who])])
  }
  return found
}

/** Entries of `sandbox.hosts` by which an agent reaches the hosts that were refused to it, the newest first. */
export const entriesToAllow = ({ root, settings }: World['core'], agentId: string): readonly string[] => [
  ...new Set(
    [...refusedHosts(root)]
      .filter(([, who]) => who.includes(agentId))
      .flatMap(([name]) => entryFor(name, settings.sandbox.hosts) ?? [])
      .reverse(),
  ),
]

/** A folder for the socket of a step that is not a run's; `end` removes it. */
export const proxyFolder = (root: string): { readonly folder: string; readonly end: () => void } => {
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runFolder(root), 'proxy-'))
  return { folder, end: () => rmSync(folder, { recursive: true, force: true }) }
}
