import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { perform } from '../operations/kernel/perform.ts'
import { listAgents } from '../operations/list-agents.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { recordRemoval } from '../operations/record-removal.ts'
import { askGit, git } from './git.ts'
import { branchRef, committer, commitOf, contains } from './git-facts.ts'
import { trashFolder } from './places.ts'
import type { World } from './world.ts'

/**
 * Removes the folder of an ended worktree (DESIGN section 6, step 5): first everything in it is kept under
 * refs/aiswarm/archive, then the folder goes to the trash as it is. False while its agents still stop.
 */
export const removeWorktree = async ({ core, actor }: World, worktree: WorktreeWork): Promise<boolean> => {
  const { root } = core
  const live = await perform(core, listAgents, { worktree: worktree.name }, actor)
  if (live.length > 0) return false
  const folder = `refs/aiswarm/archive/${worktree.name}`
  // Cut off behind the moving of the folder, the first archive is the one that has everything.
  const earlier = isCheckout(worktree.path) ? undefined : await earlierStamp(root, worktree, folder)
  const stamp = earlier ?? core.clock().replace(/[:.]/g, '-')
  const archiveRef = earlier === undefined ? await archive(root, worktree, `${folder}/${stamp}`) : `${folder}/${stamp}`
  const trashPath = toTrash(root, worktree, stamp)
  await askGit(root, ['worktree', 'remove', '--force', '--force', '--end-of-options', worktree.path], { answers: [128] })
  await perform(core, recordRemoval, { name: worktree.name, archiveRef, trashPath }, actor)
  return true
}

/** When a removal that did not come to its end archived the worktree, if one did: that archive contains the branch. */
const earlierStamp = async (root: string, { branch }: WorktreeWork, folder: string): Promise<string | undefined> => {
  const tip = await commitOf(root, branchRef(branch))
  const last = (await git(root, ['for-each-ref', '--format=%(refname)', `${folder}/`])).split('\n').filter(Boolean).at(-1)
  if (last === undefined || (tip !== undefined && !(await contains(root, last, tip)))) return undefined
  return last.slice(folder.length + 1)
}

/** A commit of all that git would see in the folder, committed or not, on top of the branch; null when even the branch is gone. */
const archive = async (root: string, { path, branch }: WorktreeWork, ref: string): Promise<string | null> => {
  const kept = isCheckout(path) ? await snapshot(path) : await commitOf(root, branchRef(branch))
  if (kept === undefined) return null
  await git(root, ['update-ref', ref, kept])
  return ref
}

/** HEAD, or a commit on top of it that holds the uncommitted changes; made through a private index, so nothing in the folder changes. */
const snapshot = async (path: string): Promise<string> => {
  const head = (await commitOf(path, 'HEAD'))!
  const scratch = mkdtempSync(join(tmpdir(), 'aiswarm-index-'))
  try {
    const environment = { GIT_INDEX_FILE: join(scratch, 'index') }
    await git(path, ['read-tree', head], { environment })
    // What cannot be added, such as an empty repository in it, is in the trash all the same.
    await askGit(path, ['add', '--all', '--ignore-errors'], { environment, answers: [1, 128] })
    const tree = (await git(path, ['write-tree'], { environment })).trim()
    if (tree === (await git(path, ['rev-parse', `${head}^{tree}`])).trim()) return head
    return (await git(path, ['commit-tree', tree, '-p', head], { input: 'Uncommitted changes, archived by aiswarm\n', environment: await committer(path) })).trim()
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const toTrash = (root: string, { name, path }: WorktreeWork, stamp: string): string | null => {
  const trash = join(trashFolder(root), `${name}-${stamp}`)
  const beside = `${path}.trash-${stamp}`
  if (!existsSync(path)) return [trash, beside].find(existsSync) ?? null
  mkdirSync(trashFolder(root), { recursive: true, mode: 0o700 })
  try {
    renameSync(path, trash)
    return trash
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // Another file system: a name beside it keeps the content where it is.
    renameSync(path, beside)
    return beside
  }
}

const isCheckout = (path: string): boolean => existsSync(join(path, '.git'))
