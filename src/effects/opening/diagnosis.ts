import type { AgentKind } from '../../agents/kind/kind.ts'
import { protocolOf } from '../../agents/kinds.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { allowing } from '../../domain/sandbox/allowlist.ts'
import { type Mount, mountsFor } from '../../domain/sandbox/policy.ts'
import type { SandboxSettings } from '../../domain/settings/agent-settings.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { someOf } from '../../domain/words/counts.ts'
import { outputOf } from '../processes/process.ts'
import { which } from '../processes/programs.ts'
import { confinementOf, placesOf } from '../sandbox/confinement.ts'
import { machine } from '../sandbox/machine.ts'
import { refusedHosts } from '../sandbox/network.ts'
import { hiddenRegistries, hiddenServers, stateOf } from '../sandbox/run.ts'

// The agent kinds and the sandbox on this machine, as they are found.

export interface Diagnosis {
  readonly name: string
  /** Null for something that is missing but optional. */
  readonly ok: boolean | null
  readonly detail: string
  /** For an agent CLI: the program and version found, and the versions that aiswarm was tested with. */
  readonly program?: {
    readonly path: string | null
    readonly version: string | null
    readonly verified: readonly string[]
  }
}

export const diagnoseKind = async (
  root: string,
  settings: Settings,
  { name, program, ...kind }: AgentKind,
  patience: number,
): Promise<Diagnosis> => {
  const what = `agent kind ${name}`
  if (program) {
    const found = await diagnoseProgram(what, program, { needed: isNeeded(settings, name), root, patience })
    return (found.program?.path ?? null) === null
      ? found
      : { ...found, detail: `${found.detail}; ${wayOf(settings, name, kind)}` }
  }
  const binary = settings.agents.kinds[name]?.command[0]
  if (binary === undefined)
    return { name: what, ok: true, detail: 'runs the command of a task; needs nothing installed' }
  const path = which(binary, root, process.env['PATH'] ?? '')
  return {
    name: what,
    ok: path !== undefined,
    detail: path === undefined ? `'${binary}' was not found on PATH` : `${path}; ${wayOf(settings, name, kind)}`,
  }
}

/** How agents of the kind are spoken to, why not otherwise, what they do not ask for, and whether they are confined. */
const wayOf = (
  settings: Settings,
  name: string,
  kind: Pick<AgentKind, 'talk' | 'because' | 'unasked' | 'unconfined'>,
): string =>
  [
    spokenTo(settings, name, kind),
    ...(kind.unasked === undefined ? [] : [inSentence(kind.unasked)]),
    ...(kind.unconfined === undefined || settings.sandbox.mode !== 'auto'
      ? []
      : [`not in the sandbox, because ${kind.unconfined}; sandbox.mode: required confines it`]),
  ].join('; ')

const spokenTo = (
  { agents }: Settings,
  name: string,
  { talk, because }: Pick<AgentKind, 'talk' | 'because'>,
): string => {
  if (talk) {
    const now = talk.steers ? 'a message reaches it within its turn' : 'a message stops its turn first'
    return `asks for permission and is spoken to while it works (${talk.protocol}); ${now}`
  }
  const why =
    agents.kinds[name]?.protocol === 'headless'
      ? `because agents.kinds.${name}.protocol says so`
      : because === undefined
        ? 'because aiswarm speaks no protocol of it; messages reach it with the answers of its aiswarm tools'
        : `because ${because}; agents.kinds.${name}.protocol: ${protocolOf(name)} changes it`
  return `gets its prompt only (headless), ${why}`
}

/** A sentence as a part of another. */
const inSentence = (sentence: string): string => `${sentence[0]!.toLowerCase()}${sentence.slice(1, -1)}`

const diagnoseProgram = async (
  name: string,
  { binary, package: from, verified }: NonNullable<AgentKind['program']>,
  { needed, root, patience }: { needed: boolean; root: string; patience: number },
): Promise<Diagnosis> => {
  const path = which(binary, root, process.env['PATH'] ?? '')
  if (path === undefined)
    return {
      name,
      ok: needed ? false : null,
      detail: `not installed; run 'npm install --global ${from}'`,
      program: { path: null, version: null, verified },
    }
  const { exitCode, output, cut } = await outputOf(path, ['--version'], { cwd: root, timeout: patience })
  // A version that was printed is one, whatever keeps the output open.
  const isAnswer = cut === 'open' || (exitCode === 0 && cut === null)
  const version = (isAnswer ? /\d+\.\d+\.\d+(?:-[\w.-]+)?/.exec(output)?.[0] : undefined) ?? null
  // A busy machine, or a first start that unpacks the program: the CLI is installed all the same.
  if (cut === 'late')
    return {
      name,
      ok: true,
      detail: `${path}; '${binary} --version' took longer than ${patience / 1000} s, so its version is not known`,
      program: { path, version: null, verified },
    }
  if (version === null)
    return {
      name,
      ok: false,
      detail: `${path} does not print its version; try '${binary} --version'`,
      program: { path, version, verified },
    }
  const known = verified.includes(version)
    ? 'verified with this version'
    : `verified with ${verified.join(', ')}, not with this version`
  return { name, ok: true, detail: `${version} at ${path}; ${known}`, program: { path, version, verified } }
}

/** True if the configuration uses the kind. */
const isNeeded = ({ agents }: Settings, kind: string): boolean =>
  agents.default === kind ||
  Object.values(agents.personas).some((persona) => persona.kind === kind) ||
  Object.values(agents.names).includes(kind)

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
