import { join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { isHome } from '../../operations/perform/core.ts'
import type { wishesOf } from '../loops/jobs.ts'
import type { Job } from '../job.ts'
import { project, standAsWritten, type Written } from './projector.ts'
import { readReports } from './reports.ts'
import { nothingSeen } from './seen-files.ts'
import type { World } from '../world.ts'
import { FolderWatch } from './folder-watch.ts'

/**
 * The shortest time between two projections (ms), and for each task of a large board so much more: one takes some 15 µs
 * of CPU for it.
 */
const PAUSE = { least: 400, task: 0.3 }

/** Files that could not be read are read again after so long (ms). */
const AGAIN = 1000

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
