import { type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { Job, look } from '../loops/jobs.ts'
import { project, standAsWritten, type Written } from './projector.ts'
import { nothingSeen, readReports } from './reports.ts'
import type { World } from '../world.ts'

/**
 * The shortest time between two projections (ms), and for each task of a large board so much more: one takes some 15 µs
 * of CPU for it.
 */
const PAUSE = { least: 400, task: 0.3 }

/** Files that could not be read are read again after so long (ms). */
const AGAIN = 1000

/** The files of a session (seed 000) as a source of jobs. */
export interface SessionFiles {
  /** True if the folders may have changed, or a job is due. */
  isDue(now: number): boolean
  jobs(wishes: Awaited<ReturnType<typeof look>>, now: number): readonly Job[]
  /** Writes the final state and stops watching. */
  close(): Promise<void>
}

export const sessionFilesOf = (world: World): SessionFiles => {
  const { core, memory } = world
  const base = join(core.root, memory.basePath)
  const written: Written = new Map()
  const seen = nothingSeen()
  let changed = true
  let readAt = 0
  let reading = false
  let unlooked = false
  let projected = { event: -1, notBefore: 0 }
  let writing: Promise<unknown> = Promise.resolve()
  let tasks = 0
  const folders = new FolderWatch(() => (changed = true))

  const projectNow = async (lastEvent: number): Promise<void> => {
    // A commit during the write is a separate event.
    projected = { event: lastEvent, notBefore: Infinity }
    try {
      const projecting = project(world, written)
      writing = projecting
      tasks = await projecting
    } catch (error) {
      if (isRefusal(error)) projected.event = -1
      throw error
    } finally {
      projected.notBefore = performance.now() + PAUSE.least + PAUSE.task * tasks
    }
  }

  const readNow = async (): Promise<void> => {
    reading = true
    // Reset only at the read: a job may not start at once, and the change would wait for the poll.
    changed = false
    readAt = performance.now() + core.settings.session.pollInterval
    try {
      const again = await readReports(world, seen)
      if (again !== undefined) readAt = Math.min(readAt, again)
    } catch (error) {
      readAt = Math.min(readAt, performance.now() + AGAIN)
      throw error
    } finally {
      reading = false
    }
  }

  return {
    isDue: (now) => changed || now >= readAt,
    jobs: (wishes, now) => {
      const paths = new Map(wishes.worktrees.map(({ name, path }) => [name, path]))
      folders.keep([
        base,
        ...wishes.runs.flatMap((run) => run.folder ?? (run.worktree === null ? [] : (paths.get(run.worktree) ?? []))).map((folder) => join(folder, memory.basePath)),
      ])
      const jobs: Job[] = []
      // A file that changes during the read is read the next time.
      if (!reading && (changed || now >= readAt)) {
        unlooked = true
        jobs.push({ key: 'session-reports', run: readNow })
      }
      // Creates files again that another program has changed, and deleted folders; not while they are being created.
      if (unlooked && projected.notBefore < Infinity) {
        unlooked = false
        if (!standAsWritten(world, written)) projected.event = -1
      }
      if (wishes.lastEvent !== projected.event && now >= projected.notBefore) jobs.push({ key: 'session-projection', run: () => projectNow(wishes.lastEvent) })
      return jobs
    },
    close: async () => {
      folders.keep([])
      // The files that are still being written were read before.
      await writing.catch(() => {})
      await project(world, written)
    },
  }
}

/** Watches folders that appear and disappear. */
class FolderWatch {
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  keep(paths: readonly string[]): void {
    for (const path of this.#watchers.keys()) if (!paths.includes(path)) this.#drop(path)
    for (const path of paths) {
      const inode = inodeOf(path)
      const watched = this.#watchers.get(path)
      if (watched?.inode === inode) continue
      // A folder that was created again under the same name is a new one, which the old watcher does not see.
      if (watched) this.#drop(path)
      if (inode !== undefined) this.#add(path, inode)
    }
  }

  #add(path: string, inode: number): void {
    try {
      const watcher = watch(path, { persistent: false }, () => this.#changed())
      watcher.on('error', () => this.#drop(path))
      this.#watchers.set(path, { watcher, inode })
      this.#changed()
    } catch {
      // The limit of watches is reached: the poll finds changes.
    }
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.watcher.close()
    this.#watchers.delete(path)
    this.#changed()
  }
}

/** Undefined if there is nothing. */
const inodeOf = (path: string): number | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}
