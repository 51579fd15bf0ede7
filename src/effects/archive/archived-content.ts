import { mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { breather, pathIn } from '../files/entries.ts'
import { blobOf, type ObjectFormat } from '../files/hash.ts'
import type { Inspection } from './inspection/inspection.ts'
import type { ArchivedEntry, ArchiveRecord } from './record.ts'
import { stampOf } from '../worktrees/trash.ts'
import { storeFiles, storeTexts, storeTree } from './store.ts'
import { type TarEntry, writeTar } from '../files/tar.ts'
import { git } from '../git/git.ts'
import { tarFolder } from '../files/paths.ts'
import type { Ended } from './ended.ts'

/** The entries to keep, each file with the object name that git gives its bytes. */
export const hashed = async (
  { folder, survey }: Inspection,
  format: ObjectFormat,
): Promise<readonly ArchivedEntry[]> => {
  const entries: ArchivedEntry[] = []
  const pause = breather()
  for (const { path, kind, mode, target, store } of survey.kept) {
    entries.push({
      path,
      kind: kind as ArchivedEntry['kind'],
      mode,
      target,
      store,
      oid: kind === 'file' ? await blobOf(pathIn(folder!, path), format) : null,
    })
    await pause()
  }
  return entries
}

/**
 * The tree of the folder as it is, or of its HEAD if the folder was deleted. Undefined if git read other bytes than
 * this process did.
 */
export const workTree = async (
  root: string,
  scratch: string,
  { folder, head }: Inspection,
  entries: readonly ArchivedEntry[],
): Promise<string | undefined> => {
  if (folder === null)
    return head.oid === null
      ? storeTree(root, scratch, [])
      : (await git(root, ['rev-parse', `${head.oid}^{tree}`])).trim()
  const files = entries.filter(({ kind, store }) => kind === 'file' && store === 'tree')
  const links = entries.filter(({ kind, store }) => kind === 'link' && store === 'tree')
  const blobs = await storeFiles(
    root,
    files.map(({ path }) => pathIn(folder, path)),
  )
  if (files.some(({ oid }, at) => oid !== blobs[at])) return undefined
  const targets = await storeTexts(
    root,
    scratch,
    links.map(({ target }) => target),
  )
  return storeTree(root, scratch, [
    ...files.map(({ path, mode }, at) => ({
      path,
      mode: (mode & 0o100) === 0 ? ('100644' as const) : ('100755' as const),
      oid: blobs[at]!,
    })),
    ...links.map(({ path }, at) => ({ path, mode: '120000' as const, oid: targets[at]! })),
  ])
}

/**
 * Writes the content that belongs in no tree and returns null if there is none. The file is named after its content, so
 * that it never overwrites another one.
 */
export const makeTar = async (
  root: string,
  scratch: string,
  { name, endedAt }: Ended,
  { folder, admin, adminContent }: Inspection,
  entries: readonly ArchivedEntry[],
): Promise<ArchiveRecord['tar']> => {
  const files = entries.flatMap(({ path, kind, mode, target, store }) =>
    store === 'tar' && kind !== 'folder'
      ? [{ path: `files/${path}`, kind, mode, target, from: pathIn(folder!, path) }]
      : [],
  )
  const modules = adminContent.modules.map(({ path, kind, mode, target }) => ({
    path: `admin/${path}`,
    kind: kind as TarEntry['kind'],
    mode,
    target,
    from: pathIn(admin!, path),
  }))
  if (files.length === 0 && modules.length === 0) return null
  mkdirSync(tarFolder(root), { recursive: true, mode: 0o700 })
  const draft = join(scratch, 'tar')
  const sha256 = await writeTar(draft, [...files, ...modules])
  const file = join(tarFolder(root), `${name}-${stampOf(endedAt)}-${sha256.slice(0, 12)}.tar`)
  renameSync(draft, file)
  return { file: basename(file), sha256 }
}
