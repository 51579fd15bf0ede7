import { join } from 'node:path'
import { type Bytes, bytesOf, type Entry, isText, parentOf, textOf, walkFolder } from '../files/entries.ts'
import { askGit } from '../git/git.ts'
import { waiting } from '../git/working-tree.ts'

/** Where the content of an entry is stored: in a git tree, or in a tar. A folder has no content. */
type Store = 'tree' | 'tar' | null

interface Kept extends Entry {
  readonly store: Store
  readonly ignored: boolean
}

export interface Survey {
  /** All entries. */
  readonly seen: readonly Entry[]
  /** All entries that an archive must restore, parents first. */
  readonly kept: readonly Kept[]
  /** Ignored files that are too large for the archive. */
  readonly beyond: readonly Entry[]
  /** Ignored folders that tools regenerate; they were not entered. */
  readonly regenerable: readonly Bytes[]
  /** Sockets, pipes and devices. */
  readonly special: readonly Bytes[]
  /** Folders that are repositories of their own. */
  readonly nested: readonly Bytes[]
}

/** The limit for the bytes of ignored files in an archive; small files go first. */
const IGNORED_LIMIT = 50 * 1024 * 1024

/**
 * Sorts all entries of a worktree's folder by whether and how to keep them. Ignored files are often secrets, so they go
 * to a tar that only its owner can read, never into the object database, which is easily pushed as a mirror.
 */
export const surveyFolder = async (
  root: string,
  folder: string,
  tracked: ReadonlySet<Bytes>,
  limit = IGNORED_LIMIT,
): Promise<Survey> => {
  const entries: Entry[] = []
  const ignored = new Set<Bytes>()
  const regenerable: Bytes[] = []
  const above = foldersOf(tracked)
  const maybeRegenerable = (path: Bytes): boolean =>
    regenerableName.test(path) && !above.has(path) && !isInside(path, '.git')
  for (let places: readonly Bytes[] = ['']; places.length > 0;) {
    const found: Entry[] = []
    for (const from of places)
      found.push(...(await walkFolder(folder, { from, skip: (path) => maybeRegenerable(path) })))
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
  const wanted = entries
    .filter(({ path, kind }) => path !== '.git' || kind !== 'file')
    .filter(({ path }) => !refilled.has(path))
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

/** Folders that tools regenerate, provided that git ignores them. */
const regenerableName =
  /(^|\/)(node_modules|bower_components|dist|build|out|target|coverage|Pods|DerivedData|__pycache__|venv|\.venv|\.(cache|parcel-cache|pnpm-store|next|nuxt|svelte-kit|turbo|tox|nox|pytest_cache|mypy_cache|ruff_cache|gradle|terraform|dart_tool))$/

const foldersOf = (paths: ReadonlySet<Bytes>): ReadonlySet<Bytes> => {
  const folders = new Set<Bytes>()
  for (const path of paths)
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder)
  return folders
}

const isInside = (path: Bytes, name: string): boolean => `/${path}/`.includes(`/${name}/`)

/**
 * A nested repository is ignored if the folder that contains it is; the worktree's rules do not apply to the names
 * inside its .git.
 */
const repositoryOf = (path: Bytes): Bytes => {
  const at = `/${path}/`.indexOf('/.git/')
  return at === -1 ? path : path.slice(0, Math.max(0, at - 1))
}

/**
 * The paths that git ignores. A name that is not text is never ignored, because git's list of ignored names could not
 * be read.
 */
const ignoredAmong = async (root: string, folder: string, paths: readonly Bytes[]): Promise<ReadonlySet<Bytes>> => {
  const texts = paths.filter(isText).map((path) => `./${textOf(path)}`)
  if (texts.length === 0) return new Set()
  // No index, because the caller knows the tracked files, and so that git looks into nested repositories.
  const environment = { GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(folder, '.git', 'none') }
  const { stdout } = await askGit(root, ['check-ignore', '--no-index', '-z', '--stdin'], {
    answers: [1],
    input: `${texts.join('\0')}\0`,
    environment,
    timeout: 600_000,
  })
  return new Set(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((path) => bytesOf(path.slice(2))),
  )
}

const overLimit = (files: readonly Entry[], limit: number): readonly Entry[] => {
  let total = 0
  return [...files]
    .sort((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1))
    .filter(({ size }) => (total += size) > limit)
}

const storeOf = ({ kind, path, target }: Entry, ignored: boolean): Store => {
  if (kind === 'folder') return null
  return ignored || !fitsTree(path) || (kind === 'link' && (target === '' || isModulesFile(path))) ? 'tar' : 'tree'
}

/** False for names that git reserves on any file system and therefore refuses in a tree. */
const fitsTree = (path: Bytes): boolean =>
  textOf(path)
    .split(/[/\\]/)
    .every((name) => !/^(\.git|git~1)$/i.test(plain(name)))

const isModulesFile = (path: Bytes): boolean =>
  /^(\.gitmodules|gitmod~\d|gi7eba~\d|gi7d29~\d|\.gitattributes|\.gitignore|\.mailmap)$/i.test(
    plain(textOf(path).split('/').at(-1)!),
  )

/** A name as HFS+ and NTFS read it. */
const plain = (name: string): string =>
  name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
