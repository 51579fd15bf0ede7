import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { agentKinds, speechOf, whyNotForked } from '../../agents/kinds.ts'
import { type Actor, system } from '../../domain/agent/actor.ts'
import { CONFIGURATION_HELD } from '../../domain/integration/trusted-configuration.ts'
import { isReadOnly, isRefusal } from '../../domain/rules/refusal.ts'
import { defaultSettings, type Settings } from '../../domain/settings/settings.ts'
import { instant, type Tick } from '../../domain/words/time.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import { readMemoryConfig } from '../../memory/session-files/memory-config.ts'
import { type PersonaFile, personasDiffer, syncPersonas } from '../../operations/agents/persona-files.ts'
import { type Core, isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { liveRules } from '../configuration/allow-rules.ts'
import { personasOf } from '../configuration/persona-files.ts'
import { enrolRepository } from '../files/git-dir.ts'
import { spool } from '../files/outbox.ts'
import { binFolder, databasePath } from '../files/paths.ts'
import { tokenOf } from '../files/secret.ts'
import { findTarget, rememberCheckout } from '../git/repository.ts'
import { beginGuard } from '../guard/guard.ts'
import type { Judge } from '../guard/own-configuration.ts'
import { configurationAtStart, configurationOfBoard } from '../guard/trusted-configuration.ts'
import { ownHost } from '../hosts/own-host.ts'
import { newHolder } from '../lease.ts'
import { missingPrograms, which } from '../processes/programs.ts'
import { RunReports } from '../runs/reports.ts'
import { encloseWorktrees } from '../sandbox/confinement.ts'
import { ensureFolder } from '../starting/initialise.ts'
import { Talks } from '../talk/talks.ts'
import { whyChosenUnconfined } from '../sandbox/run.ts'
import type { World } from '../world.ts'

export interface OpenOptions {
  /** Opens the database file, and creates and migrates it. */
  readonly openStore: (path: string) => Promise<Core['store']>
  /** The command line that starts aiswarm. */
  readonly self: readonly string[]
  /** The version of aiswarm; empty if it does not matter. */
  readonly version?: string
  readonly warn: (sentence: string) => void
}

/** Opens the database of a repository, creating and migrating it, with the current configuration and personas. */
export const openWorld = async (root: string, { openStore, ...program }: OpenOptions): Promise<World> => {
  ensureFolder(root)
  enrolRepository(root)
  rememberCheckout(root)
  const store = await openStore(databasePath(root))
  try {
    return await worldOf(root, store, program)
  } catch (error) {
    store.close()
    throw error
  }
}

export const worldOf = async (
  root: string,
  store: Core['store'],
  { self, version = '', warn }: Omit<OpenOptions, 'openStore'>,
): Promise<World> => {
  const actor = system()
  const bare: Core = {
    store,
    root,
    settings: defaultSettings,
    kinds: [],
    clock: store.now ?? (() => instant(Date.now())),
    monotonic,
    allowRules: liveRules(defaultSettings),
    memoryUser: memoryUser(process.env),
    newToken: () => randomBytes(24).toString('base64url'),
    launchToken: (agentId, run) => tokenOf(root, agentId, run),
  }
  const gently = unlessReadOnly(warn)
  const host = await hostHere(bare, actor, gently)
  const holder = newHolder(host)
  const placed: Core =
    host === undefined
      ? bare
      : { ...bare, host, keep: (note) => spool(root, note.agentId, { ...note, at: store.now?.() ?? bare.clock() }) }
  const judge = { core: placed, actor, holder }
  const home = isHome(placed)
  const { loaded, held, personas } = await configurationFor(judge, gently)
  loaded.warnings.forEach(warn)
  const kinds = agentKinds(loaded.settings)
  const settings = await withTarget(withInstalledDefault(loaded.settings, kinds, root), loaded.namesTarget, root)
  const core: Core = {
    ...placed,
    settings,
    ...{ kinds: [...kinds.keys()], missingProgram: missingPrograms(root, settings, kinds) },
    ...factsOf(settings, kinds),
    allowRules: liveRules(settings),
  }
  if (held) warn(CONFIGURATION_HELD)
  else if (home) await gently(() => syncFiles(core, actor, personasOf(personas, warn)))
  writeProgram(root, self)
  const world: World = {
    core,
    actor,
    holder,
    kinds,
    memory: readMemoryConfig(root),
    reports: new RunReports(),
    talks: new Talks(),
    ...(host === undefined ? {} : { sights: async () => (await import('./outside.ts')).sightsOf(world) }),
    self,
    version,
    report: warn,
  }
  encloseWorktrees(world)
  await gently(() => beginGuard(world))
  return world
}

/** The facts about kinds of agents that operations ask for. */
const factsOf = (
  settings: Core['settings'],
  kinds: World['kinds'],
): Pick<Core, 'speech' | 'unasked' | 'unconfined' | 'unforked'> => ({
  speech: (kind) => speechOf(kinds.get(kind)),
  unasked: (kind) => kinds.get(kind)?.unasked,
  unconfined: whyChosenUnconfined({ settings }, kinds),
  unforked: (kind) => whyNotForked(kinds.get(kind)),
})

/** Undefined on a board that has one host, and null for a checkout that has not joined or cannot claim the board now. */
export const hostHere = async (core: Core, actor: Actor, gently: Gently): Promise<string | null | undefined> =>
  core.store.engine === 'SQLite' ? undefined : ((await gently(() => ownHost(core, actor))) ?? null)

/** The configuration that applies here; that of the board if a change of the files cannot be judged now. */
export const configurationFor = async (judge: Judge, gently: Gently): ReturnType<typeof configurationOfBoard> =>
  (isHome(judge.core) ? await gently(() => configurationAtStart(judge)) : undefined) ?? configurationOfBoard(judge)

export type Gently = ReturnType<typeof unlessReadOnly>

/** Runs the work that records something at opening. A board that this program may only read is opened all the same; it says once why. */
export const unlessReadOnly = (says: (sentence: string) => void) => {
  const said = new Set<string>()
  return async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!isRefusal(error) || !isReadOnly(error)) throw error
      if (!said.has(error.message)) says(error.message)
      said.add(error.message)
      return undefined
    }
  }
}

export const syncFiles = async (core: Core, actor: Actor, files: readonly PersonaFile[]): Promise<void> => {
  if (await perform(core, personasDiffer, { files: [...files] }, actor))
    await perform(core, syncPersonas, { files: [...files] }, actor)
}

/** The default kind, if the configuration names none, is the first whose program is installed. */
export const withInstalledDefault = (
  settings: Settings,
  kinds: ReadonlyMap<string, AgentKind>,
  root: string,
): Settings => {
  if (settings.agents.default !== null) return settings
  const installed = [...kinds.values()].find(
    ({ program }) => program !== undefined && which(program.binary, root, process.env['PATH'] ?? '') !== undefined,
  )
  return installed ? { ...settings, agents: { ...settings.agents, default: installed.name } } : settings
}

export const withTarget = async (settings: Settings, isNamed: boolean, root: string): Promise<Settings> =>
  isNamed ? settings : { ...settings, integration: { ...settings.integration, target: await findTarget(root) } }

/** Writes the small `aiswarm` program that agents find on their PATH, however aiswarm itself was started. */
export const writeProgram = (root: string, self: readonly string[]): void => {
  const path = join(binFolder(root), 'aiswarm')
  const program = `#!/bin/sh\nexec ${self.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ')} "$@"\n`
  if (existsSync(path) && readFileSync(path, 'utf8') === program) return
  mkdirSync(binFolder(root), { recursive: true })
  writeFileSync(path, program)
  chmodSync(path, 0o755)
}

/**
 * The monotonic clock of this boot, shared by all processes of the machine. On Linux it is CLOCK_MONOTONIC, not
 * CLOCK_BOOTTIME: it stops while the machine is suspended, as the agents do, so that closing the lid ends no lease.
 */
const monotonic = (): Tick => ({ boot: (boot ??= bootOf()), ms: Number(process.hrtime.bigint() / 1_000_000n) })

let boot: string | undefined

/** The identity of that clock, because a time namespace has its own. If it is unknown, no other process shares it. */
const bootOf = (): string => {
  try {
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/time')}`
  } catch {
    return randomUUID()
  }
}
