import { isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { ensureMemoryFolder, entryAt } from '../file-system.ts'
import { agentIdPattern } from '../session-files/file-names.ts'

/** The place of working memories: `path` below `base`, which it never leaves. */
export interface MemoryPlace {
  readonly base: string
  readonly path: string
}

/** `.ai` in the root of the repository, or BMAD_MEMORY_DIR relative to that root. */
export const memoryPlace = (root: string, environment: Readonly<Record<string, string | undefined>>): MemoryPlace => {
  const named = environment['BMAD_MEMORY_DIR']
  return named ? { base: resolve(root, named), path: '.' } : { base: root, path: '.ai' }
}

/** True if the environment alone determines the place. */
export const needsNoRoot = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  isAbsolute(environment['BMAD_MEMORY_DIR'] ?? '')

/** The folder if it exists. Refuses one that leads out of its place. */
export const existingFolder = ({ base, path }: MemoryPlace): string | undefined =>
  entryAt(join(base, path)) ? ensureMemoryFolder(base, path) : undefined

export const madeFolder = ({ base, path }: MemoryPlace): string => ensureMemoryFolder(base, path)

/** The files of one agent's memory. */
export interface MemoryFiles {
  readonly folder: string
  readonly agent: string
  readonly memory: string
  /** The journal of a move from the memory to the archive; exists only until both are written. */
  readonly pending: string
}

/** The lock under which one process at a time writes the memories of a folder. */
export const lockFile = (folder: string): string => join(folder, '.working_memory.lock')

export const memoryFiles = (folder: string, agent: string): MemoryFiles => ({
  folder,
  agent,
  memory: join(folder, `working_memory_${agent}.json`),
  pending: join(folder, `.working_memory_${agent}.pending`),
})

const ARCHIVE = 'archive'

/** The folder of archives if it exists; as `existingFolder`. */
export const existingArchive = (folder: string): string | undefined => existingFolder({ base: folder, path: ARCHIVE })

export const madeArchive = (folder: string): string => ensureMemoryFolder(folder, ARCHIVE)

/** `archive_dev_2026-01-30.jsonl`, with the day (UTC) of archiving. */
export const archiveName = (agent: string, day: string): string => `archive_${agent}_${day}.jsonl`

export const isArchiveOf = (agent: string, name: string): boolean =>
  name.startsWith(`archive_${agent}_`) && /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name.slice(`archive_${agent}_`.length))

/** Checks an agent's id, because it becomes part of a file name. */
export const checkAgent = (agent: string): void => {
  if (agentIdPattern.test(agent)) return
  throw new Refusal(
    'invalid_name',
    `${JSON.stringify(agent.slice(0, 60))} is not a valid agent id; use 1 to 50 letters, digits, - or _, beginning with a letter or digit.`,
  )
}
