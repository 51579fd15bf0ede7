import { type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { isHome } from '../../operations/perform/core.ts'
import type { Job } from '../job.ts'
import type { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { project, standAsWritten, type Written } from './projection.ts'
import { nothingSeen, readReports } from './reports.ts'

/**
 * The files of a session (seed 000) as a source of jobs: each host reads those of its agents, and the first one writes the
 * board's into the main checkout.
 */
export interface SessionFiles {
  /** True if the folders may have changed, or a job is due. */
  isDue(now: number): boolean
  jobs(wishes: Awaited<ReturnType<typeof wishesOf>>, now: number): readonly Job[]
  /** Writes the final state and stops watching. */
  close(): Promise<void>
}

export const sessionFilesOf = (world: World): SessionFiles => new WatchedFiles(world)

/**
 * The shortest time between two projections (ms), and for each task of a large board so much more: one takes some 15 µs
 * of CPU for it.
 */
const PAUSE = { least: 400, task: 0.3 }

/** Files that could not be read are read again after so long (ms). */
const AGAIN = 1000

class WatchedFiles implements SessionFiles {
  readonly #world: World
  readonly #base: string
  readonly #isHome: boolean
  readonly #written: Written = new Map()
  readonly #seen = nothingSeen()
  readonly #folders = new FolderWatch(() => (this.#changed = true))
  #changed = true
  #readAt = 0
  #reading = false
  /** True if a read has begun since the files were last compared with what was written. */
  #unlooked = false
  #projected = { event: -1, notBefore: 0 }
  #writing: Promise<unknown> = Promise.resolve()
  #tasks = 0

  constructor(world: World) {
    this.#world = world
    this.#isHome = isHome(world.core)
    this.#base = join(world.core.root, world.memory.basePath)
  }

  isDue(now: number): boolean {
    return this.#changed || now >= this.#readAt
  }

  jobs(wishes: Awaited<ReturnType<typeof wishesOf>>, now: number): readonly Job[] {
    this.#folders.keep([
      ...(this.#isHome ? [this.#base] : []),
      ...foldersOfRuns(wishes).map((folder) => join(folder, this.#world.memory.basePath)),
    ])
    const jobs: Job[] = []
    // A file that changes during the read is read the next time.
    if (!this.#reading && this.isDue(now)) {
      this.#unlooked = true
      jobs.push({ key: 'session-reports', run: () => this.#read() })
    }
    if (!this.#isHome) return jobs
    // Creates files again that another program has changed, and deleted folders; not while they are being created.
    if (this.#unlooked && this.#projected.notBefore < Infinity) {
      this.#unlooked = false
      if (!standAsWritten(this.#world, this.#written)) this.#projected.event = -1
    }
    if (wishes.lastEvent !== this.#projected.event && now >= this.#projected.notBefore)
      jobs.push({ key: 'session-projection', run: () => this.#project(wishes.lastEvent) })
    return jobs
  }

  async close(): Promise<void> {
    this.#folders.keep([])
    // The files that are still being written were read before.
    await this.#writing.catch(() => {})
    if (this.#isHome) await project(this.#world, this.#written)
  }

  async #project(lastEvent: number): Promise<void> {
    // A commit during the write is a separate event.
    this.#projected = { event: lastEvent, notBefore: Infinity }
    try {
      const projecting = project(this.#world, this.#written)
      this.#writing = projecting
      this.#tasks = await projecting
    } catch (error) {
      if (isRefusal(error)) this.#projected.event = -1
      throw error
    } finally {
      this.#projected.notBefore = performance.now() + PAUSE.least + PAUSE.task * this.#tasks
    }
  }

  async #read(): Promise<void> {
    this.#reading = true
    // Reset only at the read: a job may not start at once, and the change would wait for the poll.
    this.#changed = false
    this.#readAt = performance.now() + this.#world.core.settings.session.pollInterval
    try {
      const again = await readReports(this.#world, this.#seen)
      if (again !== undefined) this.#readAt = Math.min(this.#readAt, performance.now() + again)
    } catch (error) {
      this.#readAt = Math.min(this.#readAt, performance.now() + AGAIN)
      throw error
    } finally {
      this.#reading = false
    }
  }
}

/** Where the running agents work. */
const foldersOfRuns = ({ runs, worktrees }: Awaited<ReturnType<typeof wishesOf>>): readonly string[] => {
  const paths = new Map(worktrees.map(({ name, path }) => [name, path]))
  return runs.flatMap((run) => run.folder ?? (run.worktree === null ? [] : (paths.get(run.worktree) ?? [])))
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
