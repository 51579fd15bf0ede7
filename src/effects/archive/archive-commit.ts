import { mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { breather, isText, pathIn, quoted } from '../files/entries.ts'
import { tarFolder } from '../files/paths.ts'
import { type TarEntry, writeTar } from '../files/tar.ts'
import { git } from '../git/git.ts'
import { stampOf } from '../worktrees/trash.ts'
import { checkArchive } from './extraction.ts'
import type { Inspection } from './inspection.ts'
import { blobOf, type ObjectFormat, storeCommit, storeFiles, storeFlatTree, storeTexts, storeTree } from './objects.ts'
import { type Archive, type ArchivedEntry, type ArchiveRecord, type Ended, readArchive } from './record.ts'

interface Made {
  /** The archive's commit, which no ref holds yet. */
  readonly commit: string
  /** The archive that an interrupted try has published, which this one continues. */
  readonly earlier: Archive | undefined
}

/** Creates the commit of an archive and proves it. Returns undefined if a file changed while it was read. */
export const makeArchiveCommit = async (
  root: string,
  ended: Ended,
  found: Inspection,
  { scratch, before }: { scratch: string; before: string | undefined },
): Promise<Made | undefined> => {
  refuseMissing(found)
  const format = (await git(root, ['rev-parse', '--show-object-format'])).trim() as ObjectFormat
  const entries = await hashed(found, format)
  const tree = await workTree(root, scratch, found, entries)
  if (tree === undefined) return undefined
  const tar = await makeTar(root, scratch, ended, found, entries)
  const record = recordOf(ended, found, { entries, format, tar })
  const earlier = before === undefined ? undefined : await readArchive(root, before)
  const recordTree = await storeRecord(root, scratch, found, record)
  const commit = await storeCommits(root, ended, found, { tree, recordTree, earlier })
  await checkArchive(root, { commit, record, target: ended.target, scratch })
  return { commit, earlier }
}

const refuseMissing = ({ missing }: Inspection): void => {
  if (missing.length === 0) return
  throw new Refusal(
    'archive_failed',
    `its index names objects that git does not have (${missing.slice(0, 3).join(', ')}); 'git fsck' shows more, 'git reset' in the worktree removes them`,
  )
}

const recordOf = (
  { name, branch, source, path, baseOid, status, reason, createdAt, endedAt }: Ended,
  { branchTip, head, gitFile, folder, admin, adminContent }: Inspection,
  { entries, format, tar }: { entries: readonly ArchivedEntry[]; format: ObjectFormat; tar: ArchiveRecord['tar'] },
): ArchiveRecord => ({
  version: 1,
  worktree: name,
  ...{ branch, source, path, baseOid, status, reason, createdAt, endedAt, branchTip, head, gitFile },
  ...{
    folder: folder !== null,
    entries: [...entries],
    admin: admin !== null,
    adminFolders: [...adminContent.folders],
    format,
    tar,
  },
})

/** Stores the commit of the record and the archive's commit above it; an earlier archive with the same trees is kept. */
const storeCommits = async (
  root: string,
  { name, endedAt: at }: Ended,
  { branchTip, head, loose }: Inspection,
  { tree, recordTree, earlier }: { tree: string; recordTree: string; earlier: Archive | undefined },
): Promise<string> => {
  const same =
    earlier &&
    (await git(root, ['rev-parse', `${earlier.commit}^{tree}`, `${earlier.recordCommit}^{tree}`])).trim() ===
      `${tree}\n${recordTree}`
  const parents = [branchTip, ...loose, earlier?.commit].filter(
    (oid) => oid !== undefined && oid !== null && oid !== head.oid,
  ) as string[]
  const recordCommit = await storeCommit(root, {
    at,
    tree: recordTree,
    parents,
    message: `Record of the archived worktree ${name}\n`,
  })
  if (same) return earlier.commit
  const heads = head.oid === null ? [recordCommit] : [head.oid, recordCommit]
  return storeCommit(root, {
    at,
    tree,
    parents: heads,
    message: `Worktree ${name}, archived by aiswarm\n\nrecord ${recordCommit}\n`,
  })
}

const storeRecord = async (
  root: string,
  scratch: string,
  { admin, adminContent, objects }: Inspection,
  record: ArchiveRecord,
): Promise<string> => {
  const files = adminContent.files.map(({ path }) => path)
  const odd = files.find((path) => !isText(path))
  if (odd !== undefined)
    throw new Refusal(
      'archive_failed',
      `git's own files for it have a name that is not text: ${quoted(Buffer.from(odd, 'latin1'))}`,
    )
  const blobs = await storeFiles(
    root,
    files.map((path) => pathIn(admin!, path)),
  )
  const adminTree = await storeTree(
    root,
    scratch,
    files.map((path, at) => ({ path, mode: '100644' as const, oid: blobs[at]! })),
  )
  const kept = [
    ...objects.trees.map((oid) => ({ name: oid, type: 'tree' as const, oid })),
    ...objects.blobs.map((oid) => ({ name: oid, type: 'blob' as const, oid })),
  ]
  const [json = ''] = await storeTexts(root, scratch, [Buffer.from(JSON.stringify(record), 'utf8').toString('latin1')])
  return storeFlatTree(root, [
    { name: 'admin', type: 'tree', oid: adminTree },
    { name: 'objects', type: 'tree', oid: await storeFlatTree(root, kept) },
    { name: 'record.json', type: 'blob', oid: json },
  ])
}

/** The entries to keep, each file with the object name that git gives its bytes. */
const hashed = async ({ folder, survey }: Inspection, format: ObjectFormat): Promise<readonly ArchivedEntry[]> => {
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
const workTree = async (
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
const makeTar = async (
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
