import { existsSync } from 'node:fs'
import type { AgentKind } from '../agents/kind.ts'
import type { Settings } from '../domain/settings.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { World } from './world.ts'
import { checkDatabase } from '../operations/maintain-database.ts'
import { git, gitBinary } from './git.ts'
import { configPath } from './places.ts'
import { findCheckout } from './repository.ts'
import { outputOf } from './process.ts'
import { which } from './which.ts'

export interface Diagnosis {
  readonly name: string
  /** Null for what is not there and need not be. */
  readonly ok: boolean | null
  readonly detail: string
  /** Of a real CLI: what was found, and with which versions aiswarm was tried. */
  readonly program?: { readonly path: string | null; readonly version: string | null; readonly verified: readonly string[] }
}

/** What aiswarm needs and what it found, a line each. */
export const diagnose = async (world: World): Promise<readonly Diagnosis[]> => {
  const { core, kinds } = world
  const damage = checkDatabase(core)
  return [
    ...(await surroundings(core.root)),
    { name: 'database', ok: damage.ok, detail: damage.ok ? core.store.path : damageDetail(damage.findings) },
    ...(await Promise.all([...kinds.values()].map((kind) => diagnoseKind(world, kind)))),
  ]
}

/** As `diagnose`, where the database cannot be opened: what can be told without it, and why. A bug is thrown as it is. */
export const diagnoseUnopened = async (folder: string, error: unknown): Promise<readonly Diagnosis[]> => {
  if (!isRefusal(error) || !aboutDatabase.test(error.code)) throw error
  return [...(await surroundings(await findCheckout(folder))), { name: 'database', ok: false, detail: error.message }]
}

const aboutDatabase = /^(?:database_|disk_failed$|migration_failed$)/

const surroundings = async (root: string): Promise<readonly Diagnosis[]> => [
  { name: 'node', ok: true, detail: `${process.versions.node} at ${process.execPath}` },
  { name: 'git', ok: true, detail: `${(await git(root, ['version'])).trim().replace('git version ', '')} at ${gitBinary()}` },
  { name: 'repository', ok: true, detail: root },
  { name: 'configuration', ok: true, detail: existsSync(configPath(root)) ? configPath(root) : 'none; the defaults hold' },
]

/** SQLite lists every page that is wrong; a few tell what has to be done. */
const damageDetail = (findings: readonly string[]): string => `${findings.slice(0, 3).join('; ')}. Put a backup in its place: 'aiswarm db restore FILE'`

const diagnoseKind = async (world: World, { name, program }: AgentKind): Promise<Diagnosis> => {
  const { settings, root } = world.core
  const what = `agent kind ${name}`
  if (program) return diagnoseProgram(what, program, { needed: isNeeded(settings, name), root })
  const binary = settings.agents.kinds[name]?.command[0]
  if (binary === undefined) return { name: what, ok: true, detail: 'runs the command of a task; needs nothing installed' }
  const path = which(binary, root, process.env['PATH'] ?? '')
  return { name: what, ok: path !== undefined, detail: path ?? `'${binary}' was not found on PATH` }
}

const diagnoseProgram = async (
  name: string,
  { binary, package: from, verified }: NonNullable<AgentKind['program']>,
  { needed, root }: { needed: boolean; root: string },
): Promise<Diagnosis> => {
  const path = which(binary, root, process.env['PATH'] ?? '')
  if (path === undefined) return { name, ok: needed ? false : null, detail: `not installed; 'npm install --global ${from}' does`, program: { path: null, version: null, verified } }
  const said = await outputOf(path, ['--version'], { cwd: root, timeout: 15_000 })
  const version = /\d+\.\d+\.\d+(?:-[\w.-]+)?/.exec(said ?? '')?.[0] ?? null
  if (version === null) return { name, ok: false, detail: `${path} does not tell its version; try '${binary} --version'`, program: { path, version, verified } }
  const known = verified.includes(version) ? 'verified with this version' : `verified with ${verified.join(', ')}, not with this version`
  return { name, ok: true, detail: `${version} at ${path}; ${known}`, program: { path, version, verified } }
}

/** True where the configuration names the kind. */
const isNeeded = ({ agents }: Settings, kind: string): boolean =>
  agents.default === kind || Object.values(agents.personas).some((persona) => persona.kind === kind) || Object.values(agents.names).includes(kind)
