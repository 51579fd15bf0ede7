import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { askGit, git } from '../git/git.ts'
import { pipeInto } from '../processes/process.ts'
import type { WorktreeGit } from './folder.ts'

// Git LFS keeps the content of a large file beside git, under its SHA-256; a commit has only a pointer to it. What a
// worktree's own git has of these comes out with the commits that name it.

/** All contents that come out at once, and how long that may take (bytes, ms). */
const LARGEST = 4 * 1024 ** 3
const TIME = 10 * 60_000

/**
 * Brings the contents to which some of these objects point into the repository's store. One that neither side has is
 * left out: LFS downloads it.
 */
export const importLargeFiles = async (
  own: WorktreeGit,
  inside: readonly string[],
  objects: readonly string[],
  held: Readonly<Record<string, string>>,
): Promise<void> => {
  if (objects.length === 0 || !(await usesLargeFiles(own.root))) return
  const contents = await git(own.root, ['cat-file', '--batch'], { environment: held, input: `${objects.join('\n')}\n` })
  const deadline = performance.now() + TIME
  let left = LARGEST
  for (const [, name = '', size = ''] of contents.matchAll(POINTER)) {
    const place = join('lfs', 'objects', name.slice(0, 2), name.slice(2, 4), name)
    const timeout = deadline - performance.now()
    if (existsSync(join(own.common, place)) || Number(size) > left || timeout <= 0) continue
    left -= Number(size)
    await importContent(own, inside, { place, name, size: Number(size) }, timeout)
  }
}

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})$/gm

const usesLargeFiles = async (root: string): Promise<boolean> =>
  (await askGit(root, ['config', '--get', 'filter.lfs.clean'], { answers: [1] })).exitCode === 0

/** Prints a regular file: the program inside may have put a pipe or a link in its place. */
const REGULAR = 'test -f "$0" && test ! -L "$0" && exec cat -- "$0"'

interface Content {
  /** Below a git folder. */
  readonly place: string
  /** Its SHA-256. */
  readonly name: string
  readonly size: number
}

const importContent = async (
  own: WorktreeGit,
  inside: readonly string[],
  content: Content,
  timeout: number,
): Promise<void> => {
  const [from, to] = [join(own.common, content.place), join(own.common, content.place)]
  const draft = `${to}.${process.pid}.draft`
  mkdirSync(dirname(to), { recursive: true })
  try {
    const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }
    const { first, second, cut } = await pipeInto(
      { argv: [...inside, '/bin/sh', '-c', REGULAR, from], cwd: own.worktree, environment },
      { argv: ['/bin/sh', '-c', 'exec cat > "$0"', draft], cwd: own.root, environment },
      { most: content.size, timeout },
    )
    if (first.exitCode !== 0 || second.exitCode !== 0 || cut !== undefined) return
    const hash = createHash('sha256')
    await pipeline(createReadStream(draft), hash)
    if (hash.digest('hex') === content.name) renameSync(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
}
