import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { bytes as sizeText } from '../../domain/words/counts.ts'
import { askGit, firstLineOf, git, gitCommand } from '../git/git.ts'
import { pipeInto } from '../processes/process.ts'
import { isMade, type WorktreeGit } from './folder.ts'
import { importLargeFiles } from './large-files.ts'

// Commits come out of a worktree's own git as a pack, through what git does with a stranger's push: a process inside
// packs them, a process outside unpacks them in a quarantine, and they enter the repository when everything in them was
// looked at and nothing that they name is missing.

/** The bounds of one import. */
export const limits = {
  /** Of the pack (bytes). */
  pack: 1024 ** 3,
  /** Of all objects, and of one, when unpacked (bytes). */
  unpacked: 4 * 1024 ** 3,
  object: 512 * 1024 ** 2,
  objects: 1_000_000,
  /** Of a commit or a tag (bytes). */
  message: 1024 ** 2,
  /** Of a path (bytes), and of the folders in it. */
  path: 4096,
  depth: 2000,
  /** Of the names of all files that it changes (bytes). */
  names: 128 * 1024 ** 2,
  /** How long it may take (ms). */
  time: 10 * 60_000,
}

/**
 * Brings these commits with everything that they need into the repository, where no ref names them yet. `known` are
 * commits that both sides have. Refuses with `import_refused` what git or the limits forbid; then nothing is changed.
 */
export const importCommits = async (
  own: WorktreeGit,
  inside: readonly string[],
  tips: readonly string[],
  known: readonly string[],
): Promise<void> => {
  if (!isMade(own)) throw new Error(`${own.worktree} has no git of its own`)
  const objects = join(own.common, 'objects')
  const place = join(objects, 'aiswarm')
  mkdirSync(place, { recursive: true })
  removeLeft(place)
  const quarantine = mkdtempSync(join(place, 'import-'))
  try {
    mkdirSync(join(quarantine, 'pack'))
    const held = { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }
    await receive(own, inside, { tips, known, held })
    const received = await look(own, quarantine)
    await proveWhole(own, { tips, known, held })
    await importLargeFiles(own, inside, received.small, held)
    await migrate(own, quarantine, received.count)
  } finally {
    rmSync(quarantine, { recursive: true, force: true })
  }
}

/** Removes what killed imports have left: none takes so long. */
const removeLeft = (place: string): void => {
  for (const name of readdirSync(place)) {
    const left = statSync(join(place, name), { throwIfNoEntry: false })
    if (left !== undefined && Date.now() - left.mtimeMs > 3 * limits.time)
      rmSync(join(place, name), { recursive: true, force: true })
  }
}

interface Wanted {
  readonly tips: readonly string[]
  readonly known: readonly string[]
  /** The environment in which git outside writes into the quarantine. */
  readonly held: Readonly<Record<string, string>>
}

const refused = (why: string): Refusal => new Refusal('import_refused', why)

const receive = async (own: WorktreeGit, inside: readonly string[], { tips, known, held }: Wanted): Promise<void> => {
  const words = ['pack-objects', '--revs', '--thin', '--stdout', '-q', '--delta-base-offset', '--threads=1']
  const packed = gitCommand(own.worktree, words, { inside })
  const size = `--max-input-size=${limits.pack}`
  const unpacked = gitCommand(own.root, ['index-pack', '--stdin', '--strict', '--fix-thin', size], {
    inside: bounded,
    environment: held,
  })
  const input = [...tips, ...known.map((oid) => `^${oid}`), ''].join('\n')
  const { first, second, cut } = await pipeInto({ ...packed, input }, unpacked, {
    most: limits.pack,
    timeout: limits.time,
  })
  if (cut === 'too much') throw refused(`they are larger than ${sizeText(limits.pack)}`)
  if (cut === 'too long') throw refused('packing them took too long')
  if (first.exitCode !== 0) throw refused(`git could not pack them (${lineOf(first.said)})`)
  if (second.exitCode !== 0) throw refused(`git does not accept them (${lineOf(second.said)})`)
}

/** Limits of the kernel for a program that reads a stranger's bytes: memory, processor time (s), and the size of a file. */
const bounded = [
  '/bin/sh',
  '-c',
  `ulimit -v ${8 * 1024 ** 2}; ulimit -t 900; ulimit -f ${(2 * limits.pack) / 512}; exec "$@"`,
  'sh',
]

/** The last line in which git says an error, as it is safe to show. */
const lineOf = (said: string): string =>
  firstLineOf(
    said
      .split('\n')
      .filter((line) => /^(?:fatal|error):/.test(line))
      .at(-1) ?? said,
  )
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300)

/** How many objects came, and those that may stand for a large file; each is within the limits. */
const look = async (
  own: WorktreeGit,
  quarantine: string,
): Promise<{ readonly count: number; readonly small: readonly string[] }> => {
  const listed = await git(
    own.root,
    ['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objecttype) %(objectsize) %(objectname)'],
    { environment: { GIT_OBJECT_DIRECTORY: quarantine } },
  )
  const small: string[] = []
  let [count, total] = [0, 0]
  for (const line of listed.split('\n').filter(Boolean)) {
    const [type = '', size = '', oid = ''] = line.split(' ')
    count++
    total += Number(size)
    if (Number(size) > limits.object) throw refused(`an object is larger than ${sizeText(limits.object)}`)
    if ((type === 'commit' || type === 'tag') && Number(size) > limits.message)
      throw refused(`a ${type} is larger than ${sizeText(limits.message)}`)
    if (type === 'blob' && Number(size) < LARGEST_POINTER) small.push(oid)
  }
  if (count > limits.objects) throw refused(`they have more than ${limits.objects} objects`)
  if (total > limits.unpacked) throw refused(`they are larger than ${sizeText(limits.unpacked)} when unpacked`)
  return { count, small }
}

/** Git LFS reads no longer file as one that stands for another (bytes). */
const LARGEST_POINTER = 1024

/** Nothing that the tips need is missing, and no path is too long. */
const proveWhole = async (own: WorktreeGit, { tips, known, held }: Wanted): Promise<void> => {
  const { exitCode, stdout, stderr } = await askGit(own.root, ['rev-list', '--objects', '--stdin'], {
    environment: held,
    input: [...tips, ...known.map((oid) => `^${oid}`), ''].join('\n'),
    answers: [1, 128],
    timeout: limits.time,
    bytes: true,
  })
  if (exitCode !== 0) throw refused(`something that they need is missing (${lineOf(stderr)})`)
  for (const tip of tips) await proveSize(own, { from: known[0], to: tip }, held)
  for (const line of stdout.split('\n')) {
    const path = line.slice(line.indexOf(' ') + 1)
    if (isTooLong(path)) throw refused(`a path in them is longer than ${limits.path} bytes or ${limits.depth} folders`)
  }
}

/** The files that a commit changes are listed one by one: a few trees that name each other hold billions of them. */
const proveSize = async (
  own: WorktreeGit,
  { from, to }: { readonly from: string | undefined; readonly to: string },
  held: Readonly<Record<string, string>>,
): Promise<void> => {
  if (from === undefined) return
  const words = ['diff-tree', '-r', '--no-renames', '--name-only', '-z', from, to]
  const where = {
    environment: held,
    answers: [1, 128],
    timeout: SILENCE,
    limit: limits.names,
    bytes: true,
    inside: small,
  }
  try {
    const { exitCode, stdout } = await askGit(own.root, words, where)
    if (exitCode === 0 && stdout.split('\0').every((path) => !isTooLong(path))) return
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  throw refused(`they have too many files, or a path longer than ${limits.path} bytes or ${limits.depth} folders`)
}

const isTooLong = (path: string): boolean => path.length > limits.path || path.split('/').length > limits.depth

/** As `bounded`, for a list of files. */
const small = ['/bin/sh', '-c', `ulimit -v ${2 * 1024 ** 2}; ulimit -t 60; exec "$@"`, 'sh']

/** How long git may say nothing about a list of files (ms). */
const SILENCE = 60_000

/** More objects stay packed: git itself unpacks a push of fewer. */
const FEW = 100

/** Moves what was looked at into the repository, as git does: a pack before its index, so that no index lacks its pack. */
const migrate = async (own: WorktreeGit, quarantine: string, count: number): Promise<void> => {
  const from = join(quarantine, 'pack')
  const packs = readdirSync(from)
  if (count === 0) return
  if (count < FEW)
    return unpack(
      own,
      packs.filter((name) => name.endsWith('.pack')).map((name) => join(from, name)),
    )
  const to = join(own.common, 'objects', 'pack')
  mkdirSync(to, { recursive: true })
  const order = ['.keep', '.pack', '.rev', '.idx']
  const rank = (name: string): number => order.findIndex((end) => name.endsWith(end))
  for (const name of packs.filter((one) => rank(one) > 0).sort((a, b) => rank(a) - rank(b)))
    renameSync(join(from, name), join(to, name))
  const folder = await open(to)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const unpack = async (own: WorktreeGit, packs: readonly string[]): Promise<void> => {
  for (const pack of packs) {
    const words = ['/bin/sh', '-c', 'exec "$@" < "$0"', pack]
    const { exitCode, stderr } = await askGit(own.root, ['unpack-objects', '-q'], { inside: words, answers: [1, 128] })
    if (exitCode !== 0)
      throw new Refusal('git_failed', `The objects of a commit could not be written: ${lineOf(stderr)}.`)
  }
}
