import { cpSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { recordWorktree } from '../operations/record-worktree.ts'
import { askGit, git } from './git.ts'
import { branchRef, checkouts, commitOf } from './git-facts.ts'
import { logsFolder } from './places.ts'
import { lastLine } from './output.ts'
import { runCommand } from './process.ts'
import { holding, type World } from './world.ts'

/** Parallel `git worktree add` races on config.lock, so one process builds at a time. */
export const BUILDER = 'worktree-builder'

/**
 * Makes the folder and branch of a worktree that is wanted, and readies it. What fails is undone and leaves no row;
 * the refusal says why. Repeated after a crash it begins anew with the folder, in which nobody can have worked yet.
 */
export const buildWorktree = async (world: World, wanted: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const made = { folder: false, branch: false }
  try {
    const baseOid = await holding(world, BUILDER, () => addCheckout(core.root, wanted, made))
    await ready(world, wanted)
    await perform(core, recordWorktree, { name: wanted.name, baseOid, error: null }, actor)
  } catch (error) {
    if (!isRefusal(error)) throw error
    await undo(core.root, wanted, made)
    await perform(core, recordWorktree, { name: wanted.name, baseOid: null, error: error.message }, actor)
    throw error
  }
}

const addCheckout = async (root: string, { name, branch, source, path }: WorktreeWork, made: { folder: boolean; branch: boolean }): Promise<string> => {
  const reason = `aiswarm works here: worktree ${name}`
  const begun = (await checkouts(root)).find((checkout) => checkout.lock === reason && samePath(checkout.path, path))
  if (begun) {
    // Git may have been killed half way through the files; what is missing would look deleted.
    rmSync(path, { recursive: true, force: true })
    await git(root, ['worktree', 'remove', '--force', '--force', '--end-of-options', path])
  }
  if (existsSync(path)) throw new Refusal('path_exists', `${path} already exists; choose another worktree name or move it away.`)
  const existing = await commitOf(root, branchRef(branch))
  const from = existing ?? (await commitOf(root, source))
  if (from === undefined) throw new Refusal('not_found', `There is no branch ${source} to fork ${branch} from; name one with --source.`)
  mkdirSync(dirname(path), { recursive: true })
  if (existing === undefined) {
    await git(root, ['worktree', 'add', '--lock', '--reason', reason, '--no-track', '-b', branch, '--end-of-options', path, from])
    made.branch = true
  } else {
    await git(root, ['worktree', 'add', '--lock', '--reason', reason, '--end-of-options', path, branch])
  }
  made.folder = true
  return from
}

/** Copies the ignored files that .worktreeinclude lists, then runs the configured setup. */
const ready = async ({ core }: World, { name, path }: WorktreeWork): Promise<void> => {
  await copyIncluded(core.root, path)
  const { setup, setupTimeout } = core.settings.worktrees
  if (setup === '') return
  mkdirSync(logsFolder(core.root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(core.root), `setup-${name}.log`)
  const { exitCode, timedOut } = await runCommand(setup, { cwd: path, output: log, timeout: setupTimeout })
  if (timedOut) throw new Refusal('setup_failed', `worktrees.setup ('${setup}') took longer than ${setupTimeout / 1000} s; see ${log}.`)
  if (exitCode !== 0) throw new Refusal('setup_failed', `worktrees.setup ('${setup}') ended with exit code ${exitCode}: ${await lastLine(log)}; see ${log}.`)
}

const copyIncluded = async (root: string, path: string): Promise<void> => {
  if (!existsSync(join(root, '.worktreeinclude'))) return
  const listed = (await git(root, ['ls-files', '-z', '--others', '--ignored', '--exclude-from=.worktreeinclude'])).split('\0').filter(Boolean)
  if (listed.length === 0) return
  // Only what git ignores: anything else belongs in a commit.
  const { stdout } = await askGit(root, ['check-ignore', '-z', '--stdin'], { answers: [1], input: `${listed.join('\0')}\0` })
  for (const file of stdout.split('\0').filter((file) => file !== '' && !file.startsWith('.aiswarm/'))) {
    try {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      cpSync(join(root, file), join(path, file), { recursive: true, verbatimSymlinks: true })
    } catch (error) {
      throw new Refusal('setup_failed', `${file}, which .worktreeinclude lists, could not be copied: ${(error as Error).message}.`, { cause: error })
    }
  }
}

const undo = async (root: string, { path, branch }: WorktreeWork, made: { folder: boolean; branch: boolean }): Promise<void> => {
  if (made.folder) await askGit(root, ['worktree', 'remove', '--force', '--force', '--end-of-options', path], { answers: [128] })
  if (made.branch) await askGit(root, ['update-ref', '-d', branchRef(branch)], { answers: [1, 128] })
}

const samePath = (a: string, b: string): boolean => a === b || (existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b))
