import { join } from 'node:path'
import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { beginMemory, type WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { type Archived, parseArchive } from '../../../src/memory/working-memory/archive.ts'
import { WorkingMemoryStore } from '../../../src/memory/working-memory/store.ts'
import { start } from '../../support/core.ts'

export const at = (seconds: number): string => instant(Date.parse(start) + 1000 * seconds)

export const empty: WorkingMemory = beginMemory('dev', 'session_1', start)

export const noContext = { storyId: null, epicId: null, taskId: null }

export const observations = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ timestamp: at(n), content: `observation ${n}`, context: noContext }))

export const storeIn = (root: string): WorkingMemoryStore =>
  new WorkingMemoryStore({ base: root, path: '.ai' }, withFileLock)

export const memoryPath = (root: string, agent = 'dev'): string => join(root, '.ai', `working_memory_${agent}.json`)

/** The content of the files for a reader that does not know the program. */
export const filesOf = (
  root: string,
  agent = 'dev',
): { readonly memory: WorkingMemory | undefined; readonly archive: readonly Archived[] } => {
  const folder = join(root, '.ai', 'archive')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`archive_${agent}_`)) : []
  return {
    memory: existsSync(memoryPath(root, agent))
      ? (JSON.parse(readFileSync(memoryPath(root, agent), 'utf8')) as WorkingMemory)
      : undefined,
    archive: names.sort().flatMap((name) => parseArchive(readFileSync(join(folder, name), 'utf8'), name)),
  }
}

/** The texts of all observations, in memory or archive, sorted. */
export const allObservations = (root: string, agent = 'dev'): readonly string[] => {
  const { memory, archive } = filesOf(root, agent)
  const archived = archive
    .filter(({ section }) => section === 'observations')
    .map(({ entry }) => (entry as { content: string }).content)
  return [...(memory?.observations.map(({ content }) => content) ?? []), ...archived].sort()
}
