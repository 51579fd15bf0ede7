import type { AgentKind } from '../../agents/kind/kind.ts'
import { protocolOf } from '../../agents/kinds.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { outputInTime } from '../processes/process.ts'
import { which } from '../processes/programs.ts'
import type { Diagnosis } from './diagnosis.ts'

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
  const { output, late } = await outputInTime(path, ['--version'], { cwd: root, timeout: patience })
  const version = /\d+\.\d+\.\d+(?:-[\w.-]+)?/.exec(output ?? '')?.[0] ?? null
  // A busy machine, or a first start that unpacks the program: the CLI is installed all the same.
  if (late)
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
