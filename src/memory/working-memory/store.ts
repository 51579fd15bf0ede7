import { randomInt } from 'node:crypto'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type Instant, milliseconds } from '../../domain/words/time.ts'
import { readMemoryFile } from '../files.ts'
import { isFormatError } from '../format-error.ts'
import { type Archived, archiveLines, commit, readArchive, recover } from './archive.ts'
import {
  beginMemory,
  type Change,
  keepWithinLimits,
  LARGEST_MEMORY,
  type Leaving,
  parseMemory,
  renderMemory,
  type WorkingMemory,
} from './memory.ts'
import {
  archiveName,
  checkAgent,
  existingArchive,
  existingFolder,
  lockFile,
  madeFolder,
  memoryFiles,
  type MemoryFiles,
  type MemoryPlace,
} from './paths.ts'

/** Runs `work` while no other process holds the same lock, which is released when the process dies. */
export type FileLock = <T>(path: string, work: () => T) => T

interface Updated {
  readonly memory: WorkingMemory
  /** The archived entries. */
  readonly archived: readonly Leaving[]
}

/** Seed 002: the working memories of one folder. Everyone reads; `update` is for the owner of the memory. */
export class WorkingMemoryStore {
  readonly #place: MemoryPlace
  readonly #lock: FileLock

  constructor(place: MemoryPlace, lock: FileLock) {
    this.#place = place
    this.#lock = lock
  }

  /** Undefined for an agent without a memory. Refuses an invalid file with file and line. */
  read(agent: string): WorkingMemory | undefined {
    checkAgent(agent)
    const folder = existingFolder(this.#place)
    return folder === undefined ? undefined : readMemory(memoryFiles(folder, agent))?.memory
  }

  /** All entries that left the memory, oldest first. */
  archive(agent: string): readonly Archived[] {
    checkAgent(agent)
    const folder = existingFolder(this.#place)
    if (folder === undefined) return []
    const files = memoryFiles(folder, agent)
    return this.#lock(lockFile(folder), () => {
      recover(files)
      const archive = existingArchive(folder)
      return archive === undefined ? [] : asRefusal(() => readArchive(archive, agent))
    })
  }

  /** Changes a memory, which the first change creates, and keeps it within its limits. A refusal changes nothing. */
  update(agent: string, change: (memory: WorkingMemory) => Change, now: Instant): Updated {
    checkAgent(agent)
    const begin = (): WorkingMemory => beginMemory(agent, `session_${milliseconds(now)}_${base36(9)}`, now)
    // An impossible change is refused before the folder is created.
    if (this.read(agent) === undefined) change(begin())
    const folder = madeFolder(this.#place)
    const files = memoryFiles(folder, agent)
    return this.#lock(lockFile(folder), () => {
      recover(files)
      const before = readMemory(files)
      const changed = change(before?.memory ?? begin())
      const { memory, leaving } = keepWithinLimits(changed.memory)
      const archived = [...changed.leaving, ...leaving]
      const text = renderMemory(memory)
      if (Buffer.byteLength(text) > LARGEST_MEMORY)
        throw new Refusal(
          'not_writable',
          `${files.memory} would have more than ${LARGEST_MEMORY >> 20} MB, which aiswarm does not read; nothing was written.`,
        )
      const lines = { archive: archiveName(agent, now.slice(0, 10)), lines: archiveLines(archived, now) }
      commit(files, before?.bytes, text, archived.length === 0 ? undefined : lines)
      return { memory, archived }
    })
  }

  /** Enforces the limits only; writes nothing if none is exceeded. Undefined for an agent without a memory. */
  clean(agent: string, now: Instant): Updated | undefined {
    const memory = this.read(agent)
    if (memory === undefined) return undefined
    if (keepWithinLimits(memory).leaving.length === 0) return { memory, archived: [] }
    return this.update(agent, (known) => ({ memory: { ...known, lastUpdated: now }, leaving: [] }), now)
  }
}

/** `fact_<milliseconds>_<9 base36>`, for a fact without a key. */
export const newFactKey = (now: Instant): string => `fact_${milliseconds(now)}_${base36(9)}`

const base36 = (length: number): string => Array.from({ length }, () => randomInt(36).toString(36)).join('')

const readMemory = ({
  memory: path,
}: MemoryFiles): { readonly memory: WorkingMemory; readonly bytes: Uint8Array } | undefined => {
  const file = readMemoryFile(path, LARGEST_MEMORY)
  return file && { memory: asRefusal(() => parseMemory(file.bytes, path)), bytes: file.bytes }
}

const asRefusal = <T>(parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (isFormatError(error)) throw new Refusal('file_unreadable', error.message, { cause: error })
    throw error
  }
}
