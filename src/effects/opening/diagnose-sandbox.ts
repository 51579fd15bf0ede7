import type { AgentKind } from '../../agents/kind/kind.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { allowing } from '../../domain/sandbox/allowlist.ts'
import { type Mount, mountsFor } from '../../domain/sandbox/policy.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { someOf } from '../../domain/words/counts.ts'
import type { SandboxSettings } from '../../domain/settings/agent-settings.ts'
import { confinementOf, placesOf } from '../sandbox/confinement.ts'
import { hiddenRegistries, hiddenServers, stateOf } from '../sandbox/run.ts'
import { machine } from '../sandbox/machine.ts'
import { refusedHosts } from '../sandbox/network.ts'
import { which } from '../processes/programs.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Whether the kernel confines what aiswarm starts, or why not. */
export const diagnoseSandbox = async ({ mode }: SandboxSettings): Promise<Diagnosis> => {
  const name = 'sandbox'
  try {
    const found = await confinementOf(mode)
    if ('off' in found)
      return { name, ok: null, detail: `off, because ${found.off} (agents can do all that you can do)` }
    if ('seatbelt' in found)
      return {
        name,
        ok: true,
        detail: `on (${mode}): ${found.seatbelt.program} confines programs, by a policy that was never tried on a Mac`,
      }
    const { program, version } = found.bubblewrap
    return {
      name,
      ok: true,
      detail: `on (${mode}): bubblewrap ${version} at ${program} confines what the lines of the kinds below do not except`,
    }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { name, ok: false, detail: error.message }
  }
}

/** Why agents are not confined here, in a few words; undefined if they are. */
export const whyUnconfined = async ({ mode }: SandboxSettings): Promise<string | undefined> => {
  try {
    const found = await confinementOf(mode)
    return 'off' in found ? found.off : undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message
  }
}

/** The hosts that programs inside asked for and that are still refused; undefined while the network is open. */
export const diagnoseNetwork = (root: string, { sandbox, agents }: Settings): Diagnosis | undefined => {
  const networks = [sandbox.network, ...Object.values(agents.personas).flatMap(({ network }) => network ?? [])]
  if (networks.every((one) => one === 'open')) return undefined
  const refused = [...refusedHosts(root)].filter(([name]) => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(name) ?? []
    return allowing({ host, port: Number(port) }, sandbox.hosts) === undefined
  })
  const words = refused.reverse().map(([name, who]) => `${name} (${who.join(', ')})`)
  return {
    name: 'network',
    ok: null,
    detail: `${[...new Set(networks)].join(', ')} in the sandbox${words.length === 0 ? '' : `; refused lately: ${someOf(words, 10)}`}`,
  }
}

/** MCP servers and registries of packages that a person configured, and that an agent in the sandbox would not find. */
export const diagnoseHidden = async (
  root: string,
  { sandbox }: Settings,
  kinds: Iterable<AgentKind>,
): Promise<readonly Diagnosis[]> => {
  const found = sandbox.mode === 'required' ? await machine() : await confinementOf(sandbox.mode)
  if ('off' in found || 'why' in found) return []
  const environment = process.env as Readonly<Record<string, string>>
  const mountsOf = (kind?: AgentKind, program = ''): readonly Mount[] => {
    const { state, stateSettings } = stateOf(kind, { program, environment })
    const programs = program === '' ? [] : [program]
    const places = placesOf(root, sandbox, environment['PATH'] ?? '', { folder: root, programs, state, stateSettings })
    return mountsFor('agent', places)
  }
  const servers = [...kinds].flatMap((kind) => {
    const program = kind.program === undefined ? undefined : which(kind.program.binary, root, environment['PATH'] ?? '')
    if (program === undefined || (kind.unconfined !== undefined && sandbox.mode === 'auto')) return []
    const start = { mounts: mountsOf(kind, program), root, folder: root, environment, given: {}, keepsOwn: true }
    return hiddenServers(kind.name, start).map((sentence) => ({ kind: kind.name, sentence }))
  })
  return [
    ...[...Map.groupBy(servers, ({ sentence }) => sentence)].map(([sentence, of]) => ({
      name: 'MCP server',
      ok: null,
      detail: `${of.map(({ kind }) => kind).join(', ')}: ${sentence}`,
    })),
    ...hiddenRegistries(mountsOf()).map((detail) => ({ name: 'registry', ok: null, detail })),
  ]
}
