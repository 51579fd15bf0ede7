import type { FileChange, ReviewFile } from '../../contracts/review.ts'
import { sectionsOf } from '../../domain/words/unified-diff.ts'
import { git, type GitOptions } from './git.ts'
import { unquoted } from './quoted-names.ts'

/** A repository, and a folder of objects outside it that are read too; null if there is none. */
export interface ObjectStore {
  readonly root: string
  readonly borrowed: string | null
}

/** Runs git on the objects of a store. */
export const gitIn = (
  { root, borrowed }: ObjectStore,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> =>
  git(root, args, {
    ...options,
    // Git separates folders by colons, unless their names are quoted.
    ...(borrowed === null ? {} : { environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(borrowed) } }),
  })

// Lists the files between two commits and their diffs. `diff-tree` ignores the person's diff settings, and names come
// quoted, so that every byte of them is known.

/** A changed file as git lists it. */
export type ListedFile = Pick<
  ReviewFile,
  'path' | 'from' | 'change' | 'oldMode' | 'newMode' | 'oldOid' | 'newOid' | 'size'
>

/** The options are the same for the list and for the diff, so that both name the same files in the same order. */
const compared = [
  'diff-tree',
  '-r',
  '-M',
  '-l1000',
  '--full-index',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
  '--submodule=short',
] as const

const QUOTED = 'core.quotePath=true'

export const listFiles = async (store: ObjectStore, from: string, to: string): Promise<readonly ListedFile[]> => {
  const raw = await gitIn(store, [...compared, '--raw', from, to], { config: [QUOTED] })
  const files = raw
    .split('\n')
    .filter((line) => line.startsWith(':'))
    .map(listed)
  const sizes = await sizesOf(
    store,
    files.flatMap(({ oldMode, newMode, oldOid, newOid }) => [
      ...(isBlob(oldMode) ? [oldOid] : []),
      ...(isBlob(newMode) ? [newOid] : []),
    ]),
  )
  return files.map((file) => ({ ...file, size: Math.max(sizes.get(file.oldOid) ?? 0, sizes.get(file.newOid) ?? 0) }))
}

/**
 * The diff of each file, in the order of the list. Contents of more than `most` bytes are not compared: git reports
 * them as binary.
 */
export const readDiffs = async (
  store: ObjectStore,
  from: string,
  to: string,
  files: readonly ListedFile[],
  most: number,
): Promise<readonly string[]> => {
  if (files.length === 0) return []
  const sections = sectionsOf(
    await gitIn(store, [...compared, '-p', from, to], { config: [QUOTED, `core.bigFileThreshold=${most}`] }),
  )
  let at = 0
  const diffs = files.map((file) => {
    // Git shows a change of type as one deleted and one added file.
    const parts = file.change === 'retyped' ? 2 : 1
    return sections.slice(at, (at += parts)).join('')
  })
  if (at !== sections.length)
    throw new Error(`git listed ${files.length} files between ${from} and ${to} and showed ${sections.length}`)
  return diffs
}

/** The contents of blobs as text, read by one process; what is missing or no blob is left out. */
export const readBlobs = async (store: ObjectStore, oids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (oids.length === 0) return new Map()
  const out = await gitIn(store, ['cat-file', '--batch=%(objectname) %(objectsize)'], {
    input: oids.map((oid) => `${oid}\n`).join(''),
    bytes: true,
  })
  const contents = new Map<string, string>()
  for (let at = 0; at < out.length;) {
    const end = out.indexOf('\n', at)
    const [oid = '', size = ''] = out.slice(at, end).split(' ')
    if (!/^\d+$/.test(size)) {
      at = end + 1
      continue
    }
    contents.set(oid, Buffer.from(out.slice(end + 1, end + 1 + Number(size)), 'latin1').toString('utf8'))
    at = end + 2 + Number(size)
  }
  return contents
}

/** The diff of one file without a size limit; with `asText` as text even if git treats it as binary. */
export const readDiff = async (
  store: ObjectStore,
  from: string,
  to: string,
  file: ListedFile,
  asText: boolean,
): Promise<string> => {
  const paths = [file.path, ...(file.from === null ? [] : [file.from])].map(pathspec)
  const diff = await gitIn(store, [...compared, '-p', ...(asText ? ['--text'] : []), from, to, '--', ...paths], {
    config: [QUOTED, 'core.bigFileThreshold=512m'],
  })
  return sectionsOf(diff)
    .filter((section) => !wildBytes.test(file.path) || isOf(section, file))
    .join('')
}

const isOf = (section: string, { oldOid, newOid }: ListedFile): boolean => {
  const [, old = '', next = ''] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(section.slice(0, 20_000)) ?? []
  return (old === oldOid || /^0+$/.test(old)) && (next === newOid || /^0+$/.test(next))
}

/** Matches a name literally; bytes that no text can hold are matched by `?`. */
const pathspec = (path: string): string =>
  wildBytes.test(path)
    ? `:(top,glob)${path.replace(/[\\*?[]/g, '\\$&').replace(/⟨[0-9A-F]{2}⟩/g, '?')}`
    : `:(top,literal)${path}`

const wildBytes = /⟨[0-9A-F]{2}⟩/

const changes: Readonly<Record<string, FileChange>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'retyped',
}

const listed = (line: string): ListedFile => {
  const [about = '', ...names] = line.split('\t')
  const [oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] = about.slice(1).split(' ')
  const [first = '', second] = names.map(unquoted)
  return {
    path: second ?? first,
    from: second === undefined ? null : first,
    change: changes[letter[0] ?? ''] ?? 'modified',
    oldMode,
    newMode,
    oldOid,
    newOid,
    size: 0,
  }
}

const isBlob = (mode: string): boolean => mode !== '000000' && mode !== '160000'

const sizesOf = async (store: ObjectStore, oids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  if (oids.length === 0) return new Map()
  const answers = await gitIn(store, ['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    input: `${[...new Set(oids)].join('\n')}\n`,
  })
  return new Map(
    answers
      .split('\n')
      .filter(Boolean)
      .map((line): [string, number] => {
        const [oid = '', size = ''] = line.split(' ')
        return [oid, /^\d+$/.test(size) ? Number(size) : 0]
      }),
  )
}
