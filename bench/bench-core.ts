import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from '../src/db/sqlite/open.ts'
import { system } from '../src/domain/agent/actor.ts'
import { defaultSettings } from '../src/domain/settings/settings.ts'
import { instant } from '../src/domain/words/time.ts'
import type { Core } from '../src/operations/perform/core.ts'
import { perform } from '../src/operations/perform/perform.ts'
import { syncPersonas } from '../src/operations/agents/persona-files.ts'

/** A folder that the benchmark may fill; it is removed with this process, because a board with its logs takes 1.5 GB. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-bench-'))
  folders.push(folder)
  return folder
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

/** A core on a database file, with the built-in personas. */
export const openBenchCore = async (folder: string): Promise<Core> =>
  benchCoreOn(await openStore(join(folder, 'coordination.db'), { migrations }), folder)

/** The same on any store. */
export const benchCoreOn = async (store: Core['store'], folder: string): Promise<Core> => {
  const core: Core = {
    store,
    root: folder,
    clock: () => instant(Date.now()),
    settings: defaultSettings,
    kinds: ['command'],
    allowRules: () => [],
    newToken: () => 'token',
    memoryUser: 'default_user',
    launchToken: (agentId, run) => `${agentId}${run}`,
  }
  await perform(core, syncPersonas, { files: [] }, system())
  return core
}
