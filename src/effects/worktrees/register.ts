import { existsSync, lstatSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { openSite } from './building-site.ts'
import { git, lockIn } from '../git/git.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { checkouts, missingTarget } from '../git/repository.ts'
import { builderMarkers, clearRemains, madeRef } from './remains.ts'
import { reasonFor } from './admin.ts'
import { fence } from '../lease.ts'
import type { World } from '../world.ts'

/**
 * Creates the branch if it is missing, and a worktree of it without files; returns the commit. `there` is the commit of its
 * source on the remote, if that counts.
 */
export const register = async (
  held: World,
  wanted: WorktreeWork,
  { site, there }: { readonly site: string; readonly there: string | undefined },
): Promise<string> => {
  const { name, branch, path } = wanted
  const { root } = held.core
  await clearRemains(held, wanted)
  refuseTaken(path)
  const existing = await commitOf(root, branchRef(branch))
  if (existing !== undefined) await refuseCheckedOut(root, branch)
  const from = existing ?? there ?? (await forkPoint(held.core, wanted))
  openSite(site)
  const environment = builderMarkers(root, name)
  await fence(held)
  await patiently(async () => {
    if (existing === undefined && (await commitOf(root, branchRef(branch))) === undefined)
      await makeBranch(root, wanted, from)
    await git(
      root,
      ['worktree', 'add', '--no-checkout', '--lock', '--reason', reasonFor(name), '--end-of-options', site, branch],
      { environment },
    )
  })
  return from
}

/** A full ref name excludes a tag of the same name. */
const forkPoint = async ({ root, settings }: World['core'], { branch, source }: WorktreeWork): Promise<string> => {
  const { target } = settings.integration
  const from = (await commitOf(root, branchRef(source))) ?? (await commitOf(root, source))
  if (from === undefined)
    throw new Refusal(
      'not_found',
      `There is no branch ${source} to fork ${branch} from${source === target ? missingTarget : ';'} name one with --source.`,
    )
  return from
}

/** Also refuses a dangling link, because git would write through it. */
export const refuseTaken = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new Refusal('path_exists', `${path} already exists; choose another worktree name or move it away.`)
}

const refuseCheckedOut = async (root: string, branch: string): Promise<void> => {
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === branchRef(branch))
  if (!elsewhere) return
  const way = existsSync(elsewhere.path)
    ? 'choose another branch, or switch that checkout to one'
    : `that folder is gone, so run 'git worktree prune' and try again`
  throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${way}.`)
}

/** Creates the branch together with a ref that marks it as ours to undo. */
const makeBranch = async (root: string, { name, branch }: WorktreeWork, from: string): Promise<void> => {
  await git(root, ['update-ref', '-m', `aiswarm: worktree ${name}`, '--stdin'], {
    input: `create ${branchRef(branch)} ${from}\nupdate ${madeRef(name)} ${from}\n`,
  })
}

/** 2.3 s in total. */
const TRIES = 10

/**
 * Retries, because another git may hold a lock for a moment; a lock that stays is left for a person, and never removed.
 */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (lockIn(error) === undefined || tries === TRIES) throw error
      await sleep(50 * tries)
    }
  }
}
