import { type FSWatcher, statSync, watch } from 'node:fs'

/** Watches folders that appear and disappear. */
export class FolderWatch {
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
