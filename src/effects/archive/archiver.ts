import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Census } from '../../operations/worktrees/census.ts'
import { isText, pathIn, quoted } from '../files/bytes.ts'
import { checkArchive } from './check.ts'
import { blobOf, type ObjectFormat } from '../files/hash.ts'
import { changedSince, type Inspection, inspectWorktree } from './inspection.ts'
import { publish } from './publish.ts'
import { type Archive, type ArchivedEntry, type ArchiveRecord, archiveRefs, readArchive } from './record.ts'
import { stampOf } from '../worktrees/trash.ts'
import { storeCommit, storeFiles, storeFlatTree, storeTexts, storeTree } from './store.ts'
import { type TarEntry, writeTar } from '../files/tar.ts'
import { breather } from '../files/walk.ts'
import { censusOf } from './census.ts'
import { git } from '../git/git.ts'
import { keptFolder, tarFolder } from '../files/places.ts'

/** A worktree that has ended and must be archived. */
export interface Ended {
  readonly name: string
  readonly branch: string
  readonly source: string
  readonly path: string
  readonly baseOid: string | null
  readonly status: 'integrated' | 'discarded'
  readonly reason: string | null
  readonly createdAt: string
  readonly endedAt: string
  readonly target: string
}

export interface Archived {
  readonly ref: string
  readonly tar: string | null
  readonly census: Census | null
}

/** How often a folder is archived again because a process wrote in it meanwhile. */
const TRIES = 3

/**
 * Stores everything that a worktree consists of under a ref, plus a tar for content that belongs in no git tree, and
 * proves that the archive restores it. Returns null if nothing is left of the worktree. A repeat after a crash finds
 * the archive it made.
 */
export const archiveWorktree = async (root: string, ended: Ended): Promise<Archived | null> => {
  const stamp = stampOf(ended.endedAt)
  const before = (await archiveRefs(root, ended.name, stamp)).at(-1)
  removeScratch(root, ended.name)
  const scratch = join(keptFolder(root), `${scratchPrefix(ended.name)}${randomBytes(6).toString('hex')}`)
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await inspectWorktree(root, ended)
      if (found.folder === null && before !== undefined) return { ref: before, tar: await tarOf(root, before), census: null }
      if (isNothing(found)) return null
      rmSync(scratch, { recursive: true, force: true })
      mkdirSync(scratch, { recursive: true, mode: 0o700 })
      const made = await make(root, ended, found, { scratch, before })
      if (made === undefined || (await changedSince(root, ended, found))) continue
      const ref = await publish(root, { worktree: ended.name, stamp, commit: made.commit, earlier: made.earlier })
      return { ref, tar: await tarOf(root, ref), census: await censusOf(root, ended, found) }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  throw new Refusal('archive_failed', `a process keeps writing to ${ended.path}; stop it`)
}

/**
 * A unique folder for each try, because a process that has lost its role may still write in its own for a while: files
 * of two processes must not meet in one archive.
 */
const scratchPrefix = (name: string): string => `making-${name}-`

/** Removes what killed processes have left; one that only was late fails by it, and has lost its role. */
const removeScratch = (root: string, name: string): void => {
  if (!existsSync(keptFolder(root))) return
  const isScratch = (one: string): boolean => one.startsWith(scratchPrefix(name)) && /^[0-9a-f]{12}$/.test(one.slice(scratchPrefix(name).length))
  for (const one of readdirSync(keptFolder(root)).filter(isScratch)) rmSync(join(keptFolder(root), one), { recursive: true, force: true })
}

const tarOf = async (root: string, ref: string): Promise<string | null> => {
  const { tar } = (await readArchive(root, ref)).record
  return tar === null ? null : join(tarFolder(root), tar.file)
}

const isNothing = ({ folder, admin, head, branchTip, loose }: Inspection): boolean =>
  folder === null && admin === null && head.oid === null && branchTip === null && loose.length === 0

interface Made {
  /** The archive's commit, which no ref holds yet. */
  readonly commit: string
  /** The archive that an interrupted try has published, which this one continues. */
  readonly earlier: Archive | undefined
}

/** Returns undefined if a file changed while it was read. */
const make = async (root: string, ended: Ended, found: Inspection, { scratch, before }: { scratch: string; before: string | undefined }): Promise<Made | undefined> => {
  if (found.missing.length > 0) {
    throw new Refusal(
      'archive_failed',
      `its index names objects that git does not have (${found.missing.slice(0, 3).join(', ')}); 'git fsck' shows more, 'git reset' in the worktree removes them`,
    )
  }
  const format = (await git(root, ['rev-parse', '--show-object-format'])).trim() as ObjectFormat
  const entries = await hashed(found, format)
  const tree = await workTree(root, scratch, found, entries)
  if (tree === undefined) return undefined
  const tar = await makeTar(root, scratch, ended, found, entries)
  const record: ArchiveRecord = {
    version: 1,
    worktree: ended.name,
    ...{ branch: ended.branch, source: ended.source, path: ended.path, baseOid: ended.baseOid, status: ended.status, reason: ended.reason },
    ...{ createdAt: ended.createdAt, endedAt: ended.endedAt, branchTip: found.branchTip, head: found.head, gitFile: found.gitFile },
    ...{ folder: found.folder !== null, entries: [...entries], admin: found.admin !== null, adminFolders: [...found.adminContent.folders], format, tar },
  }
  const earlier = before === undefined ? undefined : await readArchive(root, before)
  const recordTree = await storeRecord(root, scratch, found, record)
  const same = earlier && (await git(root, ['rev-parse', `${earlier.commit}^{tree}`, `${earlier.recordCommit}^{tree}`])).trim() === `${tree}\n${recordTree}`
  const parents = [found.branchTip, ...found.loose, earlier?.commit].filter((oid) => oid !== undefined && oid !== null && oid !== found.head.oid) as string[]
  const about = { at: ended.endedAt }
  const recordCommit = await storeCommit(root, { ...about, tree: recordTree, parents, message: `Record of the archived worktree ${ended.name}\n` })
  const heads = found.head.oid === null ? [recordCommit] : [found.head.oid, recordCommit]
  const commit = same
    ? earlier.commit
    : await storeCommit(root, { ...about, tree, parents: heads, message: `Worktree ${ended.name}, archived by aiswarm\n\nrecord ${recordCommit}\n` })
  await checkArchive(root, { commit, record, target: ended.target, scratch })
  return { commit, earlier }
}

/** The entries to keep, each file with the object name that git gives its bytes. */
const hashed = async ({ folder, survey }: Inspection, format: ObjectFormat): Promise<readonly ArchivedEntry[]> => {
  const entries: ArchivedEntry[] = []
  const pause = breather()
  for (const { path, kind, mode, target, store } of survey.kept) {
    entries.push({ path, kind: kind as ArchivedEntry['kind'], mode, target, store, oid: kind === 'file' ? await blobOf(pathIn(folder!, path), format) : null })
    await pause()
  }
  return entries
}

/**
 * The tree of the folder as it is, or of its HEAD if the folder was deleted. Undefined if git read other bytes than
 * this process did.
 */
const workTree = async (root: string, scratch: string, { folder, head }: Inspection, entries: readonly ArchivedEntry[]): Promise<string | undefined> => {
  if (folder === null) return head.oid === null ? storeTree(root, scratch, []) : (await git(root, ['rev-parse', `${head.oid}^{tree}`])).trim()
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
    ...files.map(({ path, mode }, at) => ({ path, mode: (mode & 0o100) === 0 ? ('100644' as const) : ('100755' as const), oid: blobs[at]! })),
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
    store === 'tar' && kind !== 'folder' ? [{ path: `files/${path}`, kind, mode, target, from: pathIn(folder!, path) }] : [],
  )
  const modules = adminContent.modules.map(({ path, kind, mode, target }) => ({ path: `admin/${path}`, kind: kind as TarEntry['kind'], mode, target, from: pathIn(admin!, path) }))
  if (files.length === 0 && modules.length === 0) return null
  mkdirSync(tarFolder(root), { recursive: true, mode: 0o700 })
  const draft = join(scratch, 'tar')
  const sha256 = await writeTar(draft, [...files, ...modules])
  const file = join(tarFolder(root), `${name}-${stampOf(endedAt)}-${sha256.slice(0, 12)}.tar`)
  renameSync(draft, file)
  return { file: basename(file), sha256 }
}

const storeRecord = async (root: string, scratch: string, { admin, adminContent, objects }: Inspection, record: ArchiveRecord): Promise<string> => {
  const files = adminContent.files.map(({ path }) => path)
  const odd = files.find((path) => !isText(path))
  if (odd !== undefined) throw new Refusal('archive_failed', `git's own files for it have a name that is not text: ${quoted(Buffer.from(odd, 'latin1'))}`)
  const blobs = await storeFiles(
    root,
    files.map((path) => pathIn(admin!, path)),
  )
  const adminTree = await storeTree(
    root,
    scratch,
    files.map((path, at) => ({ path, mode: '100644' as const, oid: blobs[at]! })),
  )
  const kept = [...objects.trees.map((oid) => ({ name: oid, type: 'tree' as const, oid })), ...objects.blobs.map((oid) => ({ name: oid, type: 'blob' as const, oid }))]
  const [json = ''] = await storeTexts(root, scratch, [Buffer.from(JSON.stringify(record), 'utf8').toString('latin1')])
  return storeFlatTree(root, [
    { name: 'admin', type: 'tree', oid: adminTree },
    { name: 'objects', type: 'tree', oid: await storeFlatTree(root, kept) },
    { name: 'record.json', type: 'blob', oid: json },
  ])
}
