import { join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { ProjectPlace } from '../../memory/project-memory/store.ts'
import type { FileMemories, Memories } from '../../contracts/memories.ts'
import type { Core } from '../../operations/perform/core.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import { decisionsReader } from './decisions.ts'
import { knownFiles, type Sentences } from './known-files.ts'
import { timelineReader } from './timeline.ts'
import { workingReader } from './working.ts'

/** The memories of a repository for a viewer. They are read on request, and never written. */
export const memoriesOf = (
  { root, clock, settings }: Pick<Core, 'root' | 'clock' | 'settings'>,
  environment: Readonly<Record<string, string | undefined>>,
): Memories => {
  const place: ProjectPlace = { root, lock: withFileLock, clock, owners: settings.memory.owners }
  const sentence = sentencesFor(root)
  const begin = () => {
    const known = knownFiles()
    return {
      working: workingReader(root, environment, known, sentence),
      decisions: decisionsReader(place, known, sentence),
      timeline: timelineReader(place, known, sentence),
    }
  }
  let readers: ReturnType<typeof begin> | undefined
  let last: FileMemories | undefined
  return {
    read: async () => {
      const own = (readers ??= begin())
      const next: FileMemories = {
        ...(await own.working()),
        decisions: await own.decisions(),
        timeline: await own.timeline(),
      }
      // The readers were closed meanwhile.
      if (own !== readers) return next
      const same =
        last !== undefined && (Object.keys(next) as (keyof FileMemories)[]).every((part) => next[part] === last![part])
      return same ? last! : (last = next)
    },
    forget: () => {
      readers = undefined
      last = undefined
    },
  }
}

const sentencesFor =
  (root: string): Sentences =>
  (read, refused) => {
    try {
      return read()
    } catch (error) {
      if (!isRefusal(error)) throw error
      return refused(error.message.replaceAll(join(root, '/'), ''))
    }
  }
