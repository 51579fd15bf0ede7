import { createHmac, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentKinds } from '../agents/kinds.ts'
import { system } from '../domain/actor.ts'
import { instant } from '../domain/time.ts'
import type { Core } from '../operations/kernel/core.ts'
import { perform } from '../operations/kernel/perform.ts'
import { personasDiffer, syncPersonas } from '../operations/sync-personas.ts'
import { readSettings } from './config.ts'
import { ensureFolder } from './initialise.ts'
import { readPersonaFiles } from './persona-files.ts'
import { binFolder, configPath, databasePath, personasFolder, runFolder } from './places.ts'
import { newHolder, type World } from './world.ts'

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
  const { settings, warnings } = readSettings(configPath(root))
  warnings.forEach(warn)
  const kinds = agentKinds(settings)
  const store = await openStore(databasePath(root))
  const core: Core = {
    store,
    root,
    settings,
    kinds: [...kinds.keys()],
    clock: () => instant(Date.now()),
    newToken: () => randomBytes(24).toString('base64url'),
    launchToken: (agentId, run) => createHmac('sha256', secretOf(root)).update(`${agentId}:${run}`).digest('base64url'),
  }
  const actor = system()
  const files = readPersonaFiles(personasFolder(root), warn)
  if (await perform(core, personasDiffer, { files: [...files] }, actor)) await perform(core, syncPersonas, { files: [...files] }, actor)
  writeProgram(root, self)
  return { core, actor, holder: newHolder(), kinds, self, report: warn }
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
