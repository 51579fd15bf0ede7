import { join, relative } from 'node:path'
import { listMemoryNames } from '../../memory/file-system.ts'
import { existingFolder, memoryFiles, memoryPlace, type MemoryPlace } from '../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { agentIdPattern } from '../../memory/session-files/file-names.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import type { FileMemories, WorkingMemoryView } from '../../contracts/memories.ts'
import { type KnownFiles, keptList, type Sentences } from './known-files.ts'

/** Reads the working memory of every agent that has one. */
export const workingReader = (
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  known: KnownFiles,
  sentence: Sentences,
) => {
  const place = memoryPlace(root, environment)
  const store = new WorkingMemoryStore(place, withFileLock)
  let last: readonly WorkingMemoryView[] = []
  const viewOf = (agent: string, file: string): WorkingMemoryView => {
    const path = shortest(root, file)
    return sentence<WorkingMemoryView>(
      () => ({ agent, path, notes: store.read(agent) ?? null, problem: null }),
      (problem) => ({ agent, path, notes: null, problem }),
    )
  }
  return async (): Promise<Pick<FileMemories, 'working' | 'workingProblem'>> => {
    const { files, problem } = sentence<{ readonly files: readonly WorkingFile[]; readonly problem: string | null }>(
      () => ({ files: filesIn(place), problem: null }),
      (problem) => ({ files: [], problem }),
    )
    const views: WorkingMemoryView[] = []
    for (const { agent, file } of files) views.push(await known(file, () => viewOf(agent, file)))
    return { working: (last = keptList(last, views)), workingProblem: problem }
  }
}

interface WorkingFile {
  readonly agent: string
  readonly file: string
}

const filesIn = (place: MemoryPlace): readonly WorkingFile[] => {
  const folder = existingFolder(place)
  if (folder === undefined) return []
  return listMemoryNames(folder).flatMap((name) => {
    const agent = /^working_memory_(.+)\.json$/.exec(name)?.[1]
    return agent !== undefined && agentIdPattern.test(agent) ? [{ agent, file: memoryFiles(folder, agent).memory }] : []
  })
}

const shortest = (root: string, file: string): string => {
  const path = relative(root, file)
  return path.startsWith('..') ? join(file) : path
}
