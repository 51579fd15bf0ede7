import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { askGit, git } from '../git/git.ts'
import type { Branch } from './entry.ts'

// A program inside works on a copy of the repository's refs. Git replaces a ref by renaming a file beside it, so it
// must be able to write the whole folder; in the copy that moves nothing but the copy. aiswarm takes over what became
// of one branch, by compare-and-swap, and shows inside what became of all others.

/** Makes the copy. */
export const copyRefs = ({ real, copy }: Branch): void => {
  mkdirSync(copy, { recursive: true, mode: 0o700 })
  for (const name of ['heads', 'tags', 'remotes', 'stash', 'bisect', 'notes'])
    if (existsSync(join(real, name)))
      cpSync(join(real, name), join(copy, name), { recursive: true, filter: (path) => !path.endsWith('.lock') })
  mkdirSync(join(copy, 'heads'), { recursive: true })
}

/**
 * Takes over the commits of the branch, and shows inside where the other branches are. Returns a sentence if the branch
 * was moved on both sides, which loses neither.
 */
export const takeOverCommits = async (branch: Branch): Promise<string | undefined> => {
  if (!existsSync(branch.copy)) return undefined
  const said = branch.ref === null ? undefined : await takeOver(branch, branch.ref)
  showOthers(branch)
  return said
}

const takeOver = async (branch: Branch, ref: string): Promise<string | undefined> => {
  const { root, copy, state } = branch
  const path = join(copy, ref.slice('refs/'.length))
  const inside = readRef(path)
  const outside = (await askGit(root, ['rev-parse', '--verify', '--quiet', ref], { answers: [1, 128] })).stdout.trim()
  const common = existsSync(state) ? readFileSync(state, 'utf8').trim() : outside
  if (inside === undefined || inside === outside) return void remember(state, outside)
  if (inside === common) {
    replace(copy, ref.slice('refs/'.length), outside)
    return void remember(state, outside)
  }
  if (outside !== common && !(await contains(root, inside, outside)))
    return `${ref} was moved to ${outside} outside while ${branch.run} moved it to ${inside}; merge them by hand`
  try {
    await git(root, ['update-ref', '-m', `aiswarm: commits of ${branch.run}`, ref, inside, outside])
  } catch (error) {
    // Another process has just done the same, or it names no commit.
    if (!isRefusal(error)) throw error
    return `${ref} could not be moved to ${inside}: ${error.message}`
  }
  return void remember(state, inside)
}

const contains = async (root: string, commit: string, earlier: string): Promise<boolean> =>
  earlier !== '' &&
  (await askGit(root, ['merge-base', '--is-ancestor', earlier, commit], { answers: [1, 128] })).exitCode === 0

/** Keeps the stash of the run under a ref of its own. */
export const keepStash = async ({ root, copy, real, run }: Branch): Promise<void> => {
  const stash = readRef(join(copy, 'stash'))
  if (stash === undefined || stash === readRef(join(real, 'stash'))) return
  await askGit(root, ['update-ref', `refs/aiswarm/stash/${run}`, stash], { answers: [1, 128] })
}

/** Copies the loose refs of other branches that have changed. */
const showOthers = ({ real, copy, ref }: Branch): void => {
  const own = ref?.slice('refs/'.length)
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(real, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name)
      if (entry.isDirectory()) visit(name)
      else if (entry.isFile() && name !== own && !name.endsWith('.lock')) {
        const value = readRef(join(real, name))
        if (value !== undefined && value !== readRef(join(copy, name))) replace(copy, name, value)
      }
    }
  }
  visit('heads')
}

/** The commit in a ref's file; undefined for anything else. Follows no link: the program inside could place one. */
const readRef = (path: string): string | undefined => {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    if (!fstatSync(file).isFile()) return undefined
    const bytes = Buffer.alloc(100)
    return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(bytes.toString('latin1', 0, readSync(file, bytes, 0, 100, 0)))?.[1]
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a ref into the copy. The folders are the program's, which could put links to others in their place: each is
 * opened in the one above it, without following a link. If that fails, the program sees an older commit.
 */
const replace = (copy: string, name: string, value: string): void => {
  const folders: number[] = []
  try {
    folders.push(openSync(copy, FOLDER))
    const parts = name.split('/')
    for (const part of parts.slice(0, -1)) {
      const path = `/proc/self/fd/${folders.at(-1)!}/${part}`
      try {
        mkdirSync(path)
      } catch {
        // It exists, or the next line fails.
      }
      folders.push(openSync(path, FOLDER))
    }
    const folder = `/proc/self/fd/${folders.at(-1)!}`
    const draft = `${folder}/.${process.pid}.lock`
    rmSync(draft, { force: true })
    writeFileSync(draft, `${value}\n`, { flag: 'wx' })
    renameSync(draft, `${folder}/${parts.at(-1)!}`)
  } catch {
    // See above.
  } finally {
    for (const folder of folders) closeSync(folder)
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

const remember = (state: string, value: string): void => {
  const draft = `${state}.${process.pid}`
  writeFileSync(draft, `${value}\n`, { mode: 0o600 })
  renameSync(draft, state)
}
