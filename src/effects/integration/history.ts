import {
  type BranchHistory,
  type CommitChange,
  passingFiles,
  unshown,
} from '../../domain/integration/branch-history.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { bytes } from '../../domain/words/counts.ts'
import { holdsSecret, looksSecret } from '../../domain/words/secrets.ts'
import { gitIn, type ListedFile, type ObjectStore, readBlobs } from '../git/diff.ts'
import { decodedName } from '../git/quoted-names.ts'

// Reads every commit of a branch, within limits: what was not read is said.

/** The most commits that are read one by one, the newest first, and the bytes of their list. */
const COMMITS = 5000
const LIST = 64 * 1024 * 1024

/** The most bytes of one content that is searched for secrets, and of all together. */
const ONE = 1024 * 1024
const ALL = 48 * 1024 * 1024

/**
 * The content of the commits from `base` (exclusive) to `branch` that a diff of these files does not show. `most` commits are
 * read.
 */
export const historyOf = async (
  store: ObjectStore,
  { base, branch, commits }: { readonly base: string; readonly branch: string; readonly commits: number },
  files: readonly ListedFile[],
  most = COMMITS,
): Promise<BranchHistory> => {
  if (commits < 2) return { files: [], unread: [] }
  const shown = new Map(files.map(({ path, newOid }) => [path, newOid]))
  try {
    const changes = await changesOf(store, base, branch, most)
    const { linesOf, skipped } = await secretsIn(store, unshown(changes, shown))
    return {
      files: passingFiles(changes, shown, linesOf),
      unread: [
        ...(commits > most
          ? [
              `only the newest ${most} of ${commits} commits were read one by one: what only older ones have is not listed`,
            ]
          : []),
        ...(skipped > 0
          ? [
              `${skipped} ${skipped === 1 ? 'content' : 'contents'} of commits in between ${skipped === 1 ? 'was' : 'were'} not searched for secrets: more than ${bytes(ONE)} each or ${bytes(ALL)} together`,
            ]
          : []),
      ],
    }
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'git_failed') throw error
    return {
      files: [],
      unread: [`the ${commits} commits could not be read one by one (${error.message.replace(/\.$/, '')})`],
    }
  }
}

/** A character before the id of each commit, which no path that git lists begins with. */
const COMMIT = '\u0001'

/** The changes of every commit, oldest first; of a merge those that are in none of its parents. */
const changesOf = async (
  store: ObjectStore,
  base: string,
  branch: string,
  most: number,
): Promise<readonly CommitChange[]> => {
  const out = await gitIn(
    store,
    [
      ...['log', '-z', '--raw', '-r', '-c', '--no-renames', '--no-abbrev', '--no-relative', '--no-color'],
      ...['--ignore-submodules=none', `--max-count=${most}`, '--format=%x01%H', `${base}..${branch}`],
    ],
    { bytes: true, limit: LIST, config: ['log.showRoot=true'] },
  )
  const commits: CommitChange[][] = []
  let commit = ''
  const words = out.split('\0')
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!.replace(/^\n+/, '')
    if (word.startsWith(COMMIT)) {
      commit = word.slice(1, 65).trim()
      commits.push([])
    } else if (word.startsWith(':')) commits.at(-1)!.push(changeOf(commit, word, words[++at] ?? ''))
  }
  return commits.reverse().flat()
}

/** A line of `--raw`; of a merge with the modes and ids in all parents first, of which the first counts as the old one. */
const changeOf = (commit: string, about: string, path: string): CommitChange => {
  const parents = /^:+/.exec(about)![0].length
  const words = about.slice(parents).split(' ')
  return {
    commit,
    path: decodedName(Buffer.from(path, 'latin1')),
    oldMode: words[0]!,
    newMode: words[parents]!,
    oldOid: words[parents + 1]!,
    newOid: words[2 * parents + 1]!,
  }
}

const isFile = (mode: string): boolean => mode.startsWith('100')

/** The lines of each change that look like a secret and are new in it, and how many contents were not searched. */
const secretsIn = async (
  store: ObjectStore,
  changes: readonly CommitChange[],
): Promise<{ readonly linesOf: (change: CommitChange) => readonly number[]; readonly skipped: number }> => {
  const read = changes.filter(({ newMode }) => isFile(newMode))
  const oids = [
    ...new Set(read.flatMap(({ oldMode, oldOid, newOid }) => [newOid, ...(isFile(oldMode) ? [oldOid] : [])])),
  ]
  const sizes = await sizesOf(store, oids)
  const wanted: string[] = []
  let sum = 0
  for (const oid of oids) {
    const size = sizes.get(oid)
    if (size === undefined || size > ONE || sum + size > ALL) continue
    sum += size
    wanted.push(oid)
  }
  const contents = await readBlobs(store, wanted)
  const found = new Map<string, readonly number[]>()
  const keyOf = ({ oldOid, newOid }: CommitChange): string => `${oldOid} ${newOid}`
  for (const change of read) {
    const text = contents.get(change.newOid)
    if (text !== undefined && !found.has(keyOf(change)))
      found.set(keyOf(change), secretLines(text, contents.get(change.oldOid) ?? ''))
  }
  return {
    linesOf: (change) => (isFile(change.newMode) ? (found.get(keyOf(change)) ?? []) : []),
    skipped: new Set(read.map(({ newOid }) => newOid).filter((oid) => !contents.has(oid))).size,
  }
}

const FINDINGS = 20

const secretLines = (text: string, before: string): readonly number[] => {
  if (!holdsSecret(text)) return []
  const old = new Set(before.split('\n'))
  return text
    .split('\n')
    .flatMap((line, n) => (!old.has(line) && looksSecret(line.slice(0, 10_000)) ? [n + 1] : []))
    .slice(0, FINDINGS)
}

const sizesOf = async (store: ObjectStore, oids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  if (oids.length === 0) return new Map()
  const lines = await gitIn(store, ['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    input: oids.map((oid) => `${oid}\n`).join(''),
  })
  return new Map(
    lines.split('\n').flatMap((line): [string, number][] => {
      const [oid = '', size = ''] = line.split(' ')
      return /^\d+$/.test(size) ? [[oid, Number(size)]] : []
    }),
  )
}
