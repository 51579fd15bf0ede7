import { join } from 'node:path'
import { type Bytes, bytesOf, isText, parentOf, textOf } from './bytes.ts'
import { type Entry, walkFolder } from './walk.ts'
import { askGit } from '../git.ts'
import { waiting } from '../pipes.ts'

/** Where the content of an entry goes: a git tree, or a tar beside it. A folder has none. */
export type Store = 'tree' | 'tar' | null

export interface Kept extends Entry {
  readonly store: Store
  readonly ignored: boolean
}

export interface Survey {
  /** Everything that was found. */
  readonly seen: readonly Entry[]
  /** Everything that an archive has to bring back, parents first. */
  readonly kept: readonly Kept[]
  /** Ignored files that are too large for the archive. */
  readonly beyond: readonly Entry[]
  /** Ignored folders that tools fill again by themselves; they were not looked into. */
  readonly regenerable: readonly Bytes[]
  /** Sockets, pipes and devices. */
  readonly special: readonly Bytes[]
  /** Folders that are repositories of their own. */
  readonly nested: readonly Bytes[]
}

/** Most bytes of ignored files that an archive holds; small ones go first. */
export const IGNORED_LIMIT = 50 * 1024 * 1024

/**
 * Sorts everything in a worktree's folder by what has to be kept, and how. Ignored files often are secrets, so they go to
 * a tar that only its owner reads, and never into the object database, of which a mirror is easily pushed.
 */
export const surveyFolder = async (root: string, folder: string, tracked: ReadonlySet<Bytes>, limit = IGNORED_LIMIT): Promise<Survey> => {
  const entries: Entry[] = []
  const ignored = new Set<Bytes>()
  const regenerable: Bytes[] = []
  const above = foldersOf(tracked)
  const maybeRegenerable = (path: Bytes): boolean => regenerableName.test(path) && !above.has(path) && !isInside(path, '.git')
  for (let places: readonly Bytes[] = ['']; places.length > 0;) {
    const found: Entry[] = []
    for (const from of places) found.push(...(await walkFolder(folder, { from, skip: (path) => maybeRegenerable(path) })))
    const pipe = found.find(({ path, kind }) => kind === 'special' && /(^|\/)\.gitignore$/.test(path))
    if (pipe !== undefined) throw waiting(join(folder, textOf(pipe.path)))
    const asked = [...new Set(found.filter(({ path }) => !tracked.has(path)).map(({ path }) => repositoryOf(path)))]
    const answered = await ignoredAmong(
      root,
      folder,
      asked.filter((path) => path !== ''),
    )
    for (const { path } of found) if (!tracked.has(path) && answered.has(repositoryOf(path))) ignored.add(path)
    const folders = found.filter(({ path, kind }) => kind === 'folder' && maybeRegenerable(path))
    regenerable.push(...folders.filter(({ path }) => ignored.has(path)).map(({ path }) => path))
    places = folders.filter(({ path }) => !ignored.has(path)).map(({ path }) => path)
    entries.push(...found)
  }
  const refilled = new Set(regenerable)
  const wanted = entries.filter(({ path, kind }) => path !== '.git' || kind !== 'file').filter(({ path }) => !refilled.has(path))
  const beyond = new Set(
    overLimit(
      wanted.filter(({ path, kind }) => kind === 'file' && ignored.has(path)),
      limit,
    ),
  )
  return {
    seen: entries,
    kept: wanted
      .filter((entry) => entry.kind !== 'special' && !beyond.has(entry))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map((entry) => ({ ...entry, ignored: ignored.has(entry.path), store: storeOf(entry, ignored.has(entry.path)) })),
    beyond: [...beyond],
    regenerable,
    special: wanted.filter(({ kind }) => kind === 'special').map(({ path }) => path),
    nested: wanted.filter(({ path }) => path.endsWith('/.git')).map(({ path }) => parentOf(path)),
  }
}

/** Folders that tools fill again by themselves, where git ignores them. */
const regenerableName =
  /(^|\/)(node_modules|bower_components|dist|build|out|target|coverage|Pods|DerivedData|__pycache__|venv|\.venv|\.(cache|parcel-cache|pnpm-store|next|nuxt|svelte-kit|turbo|tox|nox|pytest_cache|mypy_cache|ruff_cache|gradle|terraform|dart_tool))$/

const foldersOf = (paths: ReadonlySet<Bytes>): ReadonlySet<Bytes> => {
  const folders = new Set<Bytes>()
  for (const path of paths) for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder)) folders.add(folder)
  return folders
}

const isInside = (path: Bytes, name: string): boolean => `/${path}/`.includes(`/${name}/`)

/** What git keeps of a repository inside is ignored where that repository is; its own names are no matter of the worktree's rules. */
const repositoryOf = (path: Bytes): Bytes => {
  const at = `/${path}/`.indexOf('/.git/')
  return at === -1 ? path : path.slice(0, Math.max(0, at - 1))
}

/** What git ignores. A name that is no text is never ignored: git's list of them could not be read. */
const ignoredAmong = async (root: string, folder: string, paths: readonly Bytes[]): Promise<ReadonlySet<Bytes>> => {
  const texts = paths.filter(isText).map((path) => `./${textOf(path)}`)
  if (texts.length === 0) return new Set()
  // With the index of nobody: what is tracked is known here, and repositories inside are looked into.
  const environment = { GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(folder, '.git', 'none') }
  const { stdout } = await askGit(root, ['check-ignore', '--no-index', '-z', '--stdin'], { answers: [1], input: `${texts.join('\0')}\0`, environment, timeout: 600_000 })
  return new Set(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((path) => bytesOf(path.slice(2))),
  )
}

const overLimit = (files: readonly Entry[], limit: number): readonly Entry[] => {
  let total = 0
  return [...files].sort((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1)).filter(({ size }) => (total += size) > limit)
}

const storeOf = ({ kind, path, target }: Entry, ignored: boolean): Store => {
  if (kind === 'folder') return null
  return ignored || !fitsTree(path) || (kind === 'link' && (target === '' || isModulesFile(path))) ? 'tar' : 'tree'
}

/** Names that git takes for its own on any file system and so refuses in a tree. */
const fitsTree = (path: Bytes): boolean =>
  textOf(path)
    .split(/[/\\]/)
    .every((name) => !/^(\.git|git~1)$/i.test(plain(name)))

const isModulesFile = (path: Bytes): boolean => /^(\.gitmodules|gitmod~\d|gi7eba~\d|gi7d29~\d|\.gitattributes|\.gitignore|\.mailmap)$/i.test(plain(textOf(path).split('/').at(-1)!))

/** A name as HFS+ and NTFS read it. */
const plain = (name: string): string =>
  name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
