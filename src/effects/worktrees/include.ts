import { constants, readFileSync, type Stats, statSync } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { someOf } from '../../domain/words/counts.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { askGit, git } from '../git/git.ts'
import type { World } from '../world.ts'

// Copies ignored files of the main checkout to a new worktree, as `.worktreeinclude` lists them in gitignore syntax.

const LIST = '.worktreeinclude'

/** Copies the listed files without overwriting files of the branch or following links, and reports those left out. */
export const copyIncluded = async (
  world: World,
  { name, branch, path }: Pick<WorktreeWork, 'name' | 'branch' | 'path'>,
): Promise<void> => {
  const { root } = world.core
  const stat = statSync(join(root, LIST), { throwIfNoEntry: false })
  if (stat === undefined) return
  // Git would block on a pipe forever.
  if (!stat.isFile())
    throw new Refusal(
      'setup_failed',
      `${join(root, LIST)} is not a file, so what it lists cannot be copied; replace it with a file or remove it.`,
    )
  const leftOut: string[] = (await specialFiles(root)).map(([file, what]) => `${file} (${what})`)
  for (const file of await includedFiles(root)) {
    try {
      leftOut.push(...(await copy(root, path, file, branch)))
    } catch (error) {
      throw new Refusal(
        'setup_failed',
        `${file}, which ${LIST} lists, could not be copied: ${(error as Error).message}.`,
        { cause: error },
      )
    }
  }
  if (leftOut.length === 0) return
  world.report(`Worktree ${name} was created without some of what ${LIST} lists: ${someOf([...new Set(leftOut)], 5)}.`)
}

const includedFiles = async (root: string): Promise<readonly string[]> => {
  const listed = (await git(root, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${LIST}`]))
    .split('\0')
    .filter(Boolean)
  if (listed.length === 0) return []
  // Only ignored files: any other file belongs in a commit.
  const { stdout } = await askGit(root, ['check-ignore', '-z', '--stdin'], {
    answers: [1],
    input: `${listed.join('\0')}\0`,
  })
  return stdout.split('\0').filter((file) => file !== '' && !file.startsWith('.aiswarm/'))
}

/** Copies a file, a link, or the folder of a nested repository; returns the entries left out, with reasons. */
const copy = async (root: string, path: string, listed: string, branch: string): Promise<readonly string[]> => {
  const file = listed.replace(/\/$/, '')
  const stat = await lstat(join(root, file)).catch(() => undefined)
  if (stat === undefined) return [`${file} (gone)`]
  if (stat.isDirectory()) {
    const left: string[] = []
    for (const entry of await readdir(join(root, file)))
      left.push(...(await copy(root, path, `${file}/${entry}`, branch)))
    return left
  }
  const special = specialOf(stat)
  if (special !== undefined) return [`${file} (${special})`]
  const rival = await makeFolder(path, dirname(file))
  if (rival !== undefined) return [`${file} (${rival} is not a folder on ${branch})`]
  try {
    if (stat.isSymbolicLink()) await symlink(await readlink(join(root, file)), join(path, file))
    else await copyFile(join(root, file), join(path, file), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return []
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return [`${file} (${branch} has its own)`]
    throw error
  }
}

/** Creates a folder of the worktree; returns the part of its path that is not a folder, such as a link out of it. */
const makeFolder = async (path: string, folder: string): Promise<string | undefined> => {
  if (folder === '.') return undefined
  const rival = await makeFolder(path, dirname(folder))
  if (rival !== undefined) return rival
  const stat = await lstat(join(path, folder)).catch(() => undefined)
  if (stat !== undefined) return stat.isDirectory() ? undefined : folder
  await mkdir(join(path, folder))
  return undefined
}

/** FIFOs and the like, which git does not list, if a line without wildcards names them or their folder. */
const specialFiles = async (root: string): Promise<readonly (readonly [string, string])[]> => {
  const lines = readFileSync(join(root, LIST), 'utf8').split(/\r?\n/)
  const plain = lines
    .map((line) => line.trim().replace(/^\/|\/+$/g, ''))
    .filter((line) => line !== '' && !/^[#!]|[*?[\\]|(^|\/)\.\.(\/|$)/.test(line))
  return (await Promise.all(plain.map((file) => specialsIn(root, file)))).flat()
}

const specialsIn = async (root: string, file: string): Promise<readonly (readonly [string, string])[]> => {
  const stat = await lstat(join(root, file)).catch(() => undefined)
  if (stat === undefined || basename(file) === '.git') return []
  const special = specialOf(stat)
  if (special !== undefined) return [[file, special]]
  if (!stat.isDirectory()) return []
  const entries = await readdir(join(root, file), { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => !entry.isFile() && !entry.isSymbolicLink())
      .map((entry) => specialsIn(root, `${file}/${entry.name}`)),
  )
  return found.flat()
}

const specialOf = (stat: Stats): string | undefined => {
  if (stat.isFIFO()) return 'a FIFO'
  if (stat.isSocket()) return 'a socket'
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : undefined
}
