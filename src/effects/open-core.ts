import { createHmac, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentKind } from '../agents/kind.ts'
import { agentKinds } from '../agents/kinds.ts'
import { system } from '../domain/actor.ts'
import type { Settings } from '../domain/settings.ts'
import { instant } from '../domain/time.ts'
import type { Core } from '../operations/kernel/core.ts'
import { memoryUser } from '../memory/dual-memory/user.ts'
import { readMemoryConfig } from '../memory/session-files/memory-config.ts'
import { perform } from '../operations/kernel/perform.ts'
import { personasDiffer, syncPersonas } from '../operations/sync-personas.ts'
import { liveRules } from './allow-rules.ts'
import { readSettings } from './config.ts'
import { enrolRepository } from './git-place.ts'
import { ensureFolder } from './initialise.ts'
import { newHolder } from './holder.ts'
import { beginGuard } from './integration/guard.ts'
import { readPersonaFiles } from './persona-files.ts'
import { binFolder, configPath, databasePath, personasFolder, runFolder } from './places.ts'
import { RunReports } from './run-reports.ts'
import { which } from './which.ts'
import type { World } from './world.ts'

export interface OpenOptions {
  /** Opens the database file, creating and migrating it. */
  readonly openStore: (path: string) => Promise<Core['store']>
  /** Command line that starts aiswarm. */
  readonly self: readonly string[]
  readonly warn: (sentence: string) => void
}

/** Opens the database of a repository, creating and migrating it, with the configuration and personas in force. */
export const openWorld = async (root: string, { openStore, self, warn }: OpenOptions): Promise<World> => {
  ensureFolder(root)
  enrolRepository(root)
  const { settings: configured, warnings } = readSettings(configPath(root))
  warnings.forEach(warn)
  const kinds = agentKinds(configured)
  const settings = withInstalledDefault(configured, kinds, root)
  const store = await openStore(databasePath(root))
  const core: Core = {
    store,
    root,
    settings,
    kinds: [...kinds.keys()],
    clock: () => instant(Date.now()),
    allowRules: liveRules(configPath(root), settings),
    memoryUser: memoryUser(process.env),
    newToken: () => randomBytes(24).toString('base64url'),
    launchToken: (agentId, run) => createHmac('sha256', secretOf(root)).update(`${agentId}:${run}`).digest('base64url'),
  }
  const actor = system()
  const files = readPersonaFiles(personasFolder(root), warn)
  if (await perform(core, personasDiffer, { files: [...files] }, actor)) await perform(core, syncPersonas, { files: [...files] }, actor)
  writeProgram(root, self)
  const world: World = { core, actor, holder: newHolder(), kinds, memory: readMemoryConfig(root), reports: new RunReports(), self, report: warn }
  await beginGuard(world)
  return world
}

/** Where the configuration names no default kind, it is the first whose program is installed. */
const withInstalledDefault = (settings: Settings, kinds: ReadonlyMap<string, AgentKind>, root: string): Settings => {
  if (settings.agents.default !== null) return settings
  const installed = [...kinds.values()].find(({ program }) => program !== undefined && which(program.binary, root, process.env['PATH'] ?? '') !== undefined)
  return installed ? { ...settings, agents: { ...settings.agents, default: installed.name } } : settings
}

/** From this the tokens of launched agents follow, the same for every process that launches. */
const secretOf = (root: string): string => {
  const path = join(runFolder(root), 'secret')
  if (!existsSync(path)) {
    mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
    // Linked into place whole: nobody may read, or find after a crash, half a secret.
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 })
    try {
      linkSync(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  return readFileSync(path, 'utf8')
}

/** The small `aiswarm` that agents find on their PATH, whichever way aiswarm itself was started. */
const writeProgram = (root: string, self: readonly string[]): void => {
  const path = join(binFolder(root), 'aiswarm')
  const program = `#!/bin/sh\nexec ${self.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ')} "$@"\n`
  if (existsSync(path) && readFileSync(path, 'utf8') === program) return
  mkdirSync(binFolder(root), { recursive: true })
  writeFileSync(path, program)
  chmodSync(path, 0o755)
}
