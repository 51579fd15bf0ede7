import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type Mount, mountsFor, type Purpose } from '../../domain/sandbox/policy.ts'
import type { SandboxMode } from '../../domain/settings/agent-settings.ts'
import { runFolder } from '../files/paths.ts'
import type { World } from '../world.ts'
import { insideOf, type LimitsInside } from './bubblewrap.ts'
import { type Confiner, type Machine, machine } from './machine.ts'
import { forwarderPrograms, networkWords, proxyFolder } from './network.ts'
import { type Inside, placesOf } from './places.ts'
import { insideSeatbelt, UNTRIED } from './seatbelt.ts'
import { filterFile } from './seccomp.ts'

/** How one program is started: words before its own, or why it is not confined. */
export type Confinement =
  | { readonly words: readonly string[]; readonly mounts: readonly Mount[] }
  | { readonly words: readonly []; readonly off: string }

/**
 * The confinement of one start. `mode` is that of the configuration or of the persona. Refuses if it is required and
 * this machine cannot confine.
 */
export const confine = async (
  { core }: Pick<World, 'core'>,
  purpose: Purpose,
  inside: Inside & { readonly environment: Readonly<Record<string, string>> },
  mode: SandboxMode = core.settings.sandbox.mode,
  more: {
    readonly limits?: LimitsInside
    readonly network?: readonly string[] | null
    /** The branch on which it commits, where it has no copy of the refs. */
    readonly ref?: string | null
  } = {},
): Promise<Confinement> => {
  const found = await confinementOf(mode)
  if ('off' in found) return { words: [], off: found.off }
  const path = inside.environment['PATH'] ?? process.env['PATH'] ?? ''
  const places = placesOf(core.root, core.settings.sandbox, path, inside)
  const mounts = mountsFor(purpose, places).filter(
    ({ path: one, from, made }) => made === true || existsSync(from ?? one),
  )
  const network = more.network ?? null
  if ('seatbelt' in found) {
    const near = runFolder(core.root)
    const refs = (more.ref ?? null) === null ? [] : ['', 'logs/'].map((at) => join(places.gitFolder, at + more.ref!))
    const start = { ...inside, folder: places.folder, near, listed: places.write, refs, sockets: inside.run ?? [] }
    const reach = network === null ? 'open' : network.length === 0 ? 'none' : 'proxied'
    return { words: insideSeatbelt(found.seatbelt, mounts, { ...start, network: reach, words: network ?? [] }), mounts }
  }
  const filter = filterFile(runFolder(core.root))
  return {
    words: insideOf(found.bubblewrap, filter, mounts, {
      ...inside,
      folder: places.folder,
      listed: places.write,
      ...(more.limits === undefined ? {} : { limits: more.limits }),
      network,
    }),
    mounts,
  }
}

/**
 * Runs a step of the configuration confined, with the network that the configuration gives to all. `use` gets the words
 * before its own, and why it is not confined, if so; what the proxy refuses is said in its log.
 */
export const confinedStep = async <T>(
  world: Pick<World, 'core' | 'self'>,
  purpose: Purpose,
  step: Pick<Inside, 'folder'> & { readonly environment: Readonly<Record<string, string>>; readonly log: string },
  use: (words: readonly string[], unconfined: string | null) => Promise<T>,
): Promise<T> => {
  const { core, self } = world
  const { network, hosts } = core.settings.sandbox
  const inside = { folder: step.folder, environment: step.environment, programs: [] }
  const proxied = network === 'allowlist' && !('off' in (await confinementOf(core.settings.sandbox.mode)))
  if (!proxied) {
    const given = networkWords(self, '', { network, hosts })
    const confined = await confine(world, purpose, inside, undefined, { network: given })
    return use(confined.words, 'off' in confined ? confined.off : null)
  }
  // Only where it is used: Node loads its HTTP for it.
  const { serveProxy } = await import('./proxy.ts')
  const { folder, end } = proxyFolder(core.root)
  const who = { root: core.root, who: purpose }
  const close = serveProxy(folder, hosts, who, (sentence) => appendFileSync(step.log, `${sentence}\n`))
  try {
    const given = networkWords(self, folder, { network, hosts })
    const visible = { ...inside, programs: forwarderPrograms(self), run: [folder] }
    return await use((await confine(world, purpose, visible, undefined, { network: given })).words, null)
  } finally {
    close()
    end()
  }
}

/**
 * Whether programs are confined in this mode on this machine. Refuses if that is required and impossible. `chosen`: a
 * person switched it off.
 */
export const confinementOf = async (
  mode: SandboxMode,
  find: () => Promise<Machine> = machine,
): Promise<Confiner | { readonly off: string; readonly chosen: boolean }> => {
  if (mode === 'off') return { off: 'the configuration says sandbox: off', chosen: true }
  if (mode === 'auto' && process.env['AISWARM_SANDBOX'] === 'off')
    return { off: 'the environment variable AISWARM_SANDBOX says off', chosen: true }
  const found = await find()
  if ('seatbelt' in found && mode === 'auto') return { off: UNTRIED, chosen: false }
  if (!('why' in found)) return found
  if (mode === 'auto') return { off: found.why, chosen: false }
  throw new Refusal('sandbox_unavailable', `The sandbox is required, but ${found.why}.`)
}
