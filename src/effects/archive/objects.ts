import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { breather, type Bytes, pathIn, quoted } from '../files/entries.ts'
import { git } from '../git/git.ts'

// Files are stored in the object database byte for byte: no filter, line ending or attribute changes them.

/** Milliseconds without output after which git is killed; hashing a large file takes long. */
const PATIENCE = 600_000

/** Stores files and returns their blobs in the same order. */
export const storeFiles = async (root: string, paths: readonly Buffer[]): Promise<readonly string[]> => {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${quoted(path)}\n`).join('')
  return (await git(root, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input, timeout: PATIENCE }))
    .split('\n')
    .filter(Boolean)
}

/**
 * Stores texts and returns their blobs. Git reads each as a file in the scratch folder, because a link's target need
 * not be text.
 */
export const storeTexts = async (
  root: string,
  scratch: string,
  texts: readonly Bytes[],
): Promise<readonly string[]> => {
  const folder = join(scratch, 'texts')
  mkdirSync(folder, { recursive: true })
  const files = texts.map((text, at) => {
    const file = pathIn(folder, String(at))
    writeFileSync(file, Buffer.from(text, 'latin1'))
    return file
  })
  return storeFiles(root, files)
}

interface TreeEntry {
  readonly path: Bytes
  readonly mode: '100644' | '100755' | '120000'
  readonly oid: string
}

/** Stores a tree of files at any depth. */
export const storeTree = async (root: string, scratch: string, entries: readonly TreeEntry[]): Promise<string> => {
  if (entries.length === 0) return storeFlatTree(root, [])
  const environment = { GIT_INDEX_FILE: join(scratch, 'index') }
  const input = entries
    .map(({ path, mode, oid }) => `${mode} ${oid} 0\t${quoted(Buffer.from(path, 'latin1'))}\n`)
    .join('')
  await git(root, ['read-tree', '--empty'], { environment })
  await git(root, ['update-index', '--index-info'], { environment, input, timeout: PATIENCE })
  return (await git(root, ['write-tree'], { environment, timeout: PATIENCE })).trim()
}

/**
 * Stores a tree of one level, of objects of any kind. An empty tree is written too: `write-tree` would only name it,
 * and `git fsck` would report it missing.
 */
export const storeFlatTree = async (
  root: string,
  entries: readonly { name: string; type: 'blob' | 'tree'; oid: string }[],
): Promise<string> => {
  const input = entries
    .map(({ name, type, oid }) => `${type === 'tree' ? '040000' : '100644'} ${type} ${oid}\t${name}\n`)
    .join('')
  return (await git(root, ['mktree'], { input, timeout: PATIENCE })).trim()
}

/** Stores a commit whose name depends on nothing but its arguments. */
export const storeCommit = async (
  root: string,
  { tree, parents, message, at }: { tree: string; parents: readonly string[]; message: string; at: string },
): Promise<string> => {
  const who = { NAME: 'aiswarm', EMAIL: 'aiswarm@localhost', DATE: at }
  const environment = Object.fromEntries(
    Object.entries(who).flatMap(([key, value]) =>
      [`GIT_AUTHOR_${key}`, `GIT_COMMITTER_${key}`].map((name) => [name, value]),
    ),
  )
  return (
    await git(root, ['commit-tree', ...[...new Set(parents)].flatMap((oid) => ['-p', oid]), tree], {
      input: message,
      environment,
    })
  ).trim()
}

export type ObjectFormat = 'sha1' | 'sha256'

/** Bytes read at a time. */
const PIECE = 1024 * 1024

/** The object name that git gives the raw bytes of a file, without filters. A link is not followed. */
export const blobOf = async (path: Buffer, format: ObjectFormat): Promise<string> => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = fstatSync(file)
    const hash = createHash(format).update(`blob ${size}\0`)
    const pause = breather()
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size)))
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      hash.update(piece.subarray(0, read))
      await pause()
    }
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}

export const blobOfBytes = (bytes: Buffer, format: ObjectFormat): string =>
  createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
