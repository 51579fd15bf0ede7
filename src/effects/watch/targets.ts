import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MoveDiff } from '../../contracts/observations.ts'
import type { CommitsBetween } from '../../domain/integration/external-changes.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { instant, type Instant } from '../../domain/words/time.ts'
import { recordTarget } from '../../operations/integration/drift-detection.ts'
import { readWatched } from '../../operations/integration/drift.ts'
import { perform } from '../../operations/perform/perform.ts'
import { stampsOf } from '../files/file-stamps.ts'
import { commonFolder } from '../files/git-dir.ts'
import { runPath } from '../files/paths.ts'
import { branchRef, commitFormat, commitIn, commitsOf } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, git } from '../git/git.ts'
import { readPid } from '../processes/shim.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'

// An agent can move the target branch with `git update-ref`, or with a commit in the main checkout. Therefore the
// position of every target is recorded, and a move by another program while an agent ran waits for a person.

type Watcher = Pick<World, 'core' | 'actor'>

/** Reads the position of every target and records moves. Returns false if it must be repeated. */
export const noticeTargets = async (world: Watcher): Promise<boolean> => {
  const { core, actor } = world
  const { targets } = await perform(core, readWatched, {}, actor)
  const tips = await commitsOf(
    core.root,
    targets.map(({ target }) => branchRef(target)),
  )
  let settled = true
  for (const { target, known, seen } of targets) {
    const found = tips.get(branchRef(target)) ?? null
    if (found === seen) continue
    const times = seen === undefined ? [core.clock()] : await timesOf(core.root, target, seen)
    // Read after the branch, because an agent that moved the branch was launched before.
    const launching = [...(await launchingNow(world))]
    const commits = await commitsFrom(core.root, known, found)
    const { recorded } = await perform(
      core,
      recordTarget,
      { target, ...(seen === undefined ? {} : { before: seen }), found, times, launching, commits },
      actor,
    )
    settled &&= recorded !== 'later' && recorded !== 'void'
  }
  return settled
}

/**
 * A stamp that changes with every move of a target, from the files in which git keeps its refs, so that it needs no
 * process.
 */
export const targetsPrint = (root: string, targets: readonly string[]): string => {
  const common = commonFolder(root)
  return common === undefined
    ? ''
    : stampsOf([
        join(common, 'packed-refs'),
        join(common, 'reftable', 'tables.list'),
        ...targets.map((target) => join(common, branchRef(target))),
      ])
}

/** Agents whose process runs and is not recorded yet: their immediate changes count as theirs. */
export const launchingNow = async (world: Watcher): Promise<string[]> =>
  (await wishesOf(world)).runs
    .filter(
      (run) => run.process === 'wanted' && readPid(runPath(world.core.root, run.agentId, run.run, 'pid')) !== undefined,
    )
    .map(({ agentId }) => agentId)

/**
 * When the branch may have moved: the ctime of its file, which no program can set, and its reflog since the recorded
 * commit.
 */
const timesOf = async (root: string, target: string, seen: string | null): Promise<Instant[]> => {
  const logged = await askGit(
    root,
    ['log', '--walk-reflogs', '--max-count=200', '--format=%H %gd', '--date=unix', branchRef(target), '--'],
    { answers: [128] },
  )
  const entries = logged.exitCode === 0 ? logged.stdout.split('\n').filter(Boolean) : []
  const end = entries.findIndex((entry) => entry.startsWith(`${seen} `))
  const dated = (end === -1 ? [] : entries.slice(0, end)).flatMap((entry) => {
    const seconds = Number(/\{(\d+)\}$/.exec(entry)?.[1])
    return Number.isFinite(seconds) ? [instant(seconds * 1000)] : []
  })
  return [instant(Math.min(Date.now(), writtenAt(root, target))), ...dated]
}

const writtenAt = (root: string, target: string): number => {
  const common = commonFolder(root)!
  const loose = join(common, branchRef(target))
  const changed = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  if (existsSync(loose)) return changed(loose)
  let folder = dirname(loose)
  while (!existsSync(folder)) folder = dirname(folder)
  return Math.max(
    changed(folder),
    changed(join(common, 'packed-refs')),
    changed(join(common, 'reftable', 'tables.list')),
  )
}

/** The number of commits that only one side has; null if one of them is missing. */
const commitsFrom = async (root: string, from: string | null, to: string | null): Promise<CommitsBetween> => {
  if (from === null || to === null) return { added: 0, dropped: 0, newest: [] }
  const counted = await askGit(root, ['rev-list', '--left-right', '--count', '--end-of-options', `${from}...${to}`], {
    answers: [128],
  })
  const [dropped = 0, added = 0] = counted.exitCode === 0 ? counted.stdout.trim().split(/\s+/).map(Number) : []
  const listed = await askGit(
    root,
    ['log', '-z', `--max-count=${SHOWN}`, commitFormat, '--end-of-options', `${from}..${to}`],
    { answers: [128] },
  )
  const newest = listed.exitCode === 0 ? listed.stdout.split('\0').filter(Boolean).map(commitIn) : []
  return {
    added,
    dropped,
    newest: newest.map(({ oid, subject, author }) => `${oid.slice(0, 8)} ${subject} (${author})`.slice(0, 500)),
  }
}

/** The number of commits of a move that are listed. */
const SHOWN = 20

/** The longest diff that is read (bytes). */
const LIMIT = 512 * 1024

/** The diff of a target's move: the files first, then their lines, unless there are too many. */
export const readMove = async (
  root: string,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<MoveDiff> => {
  if (from === null || to === null) return { text: '', complete: false }
  const diff = async (form: string): Promise<string> =>
    git(
      root,
      ['diff', form, '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv', '--end-of-options', from, to],
      {
        environment: await withoutPrograms(root),
        limit: LIMIT,
      },
    )
  for (const [form, complete] of [
    ['--patch-with-stat', true],
    ['--stat', false],
  ] as const) {
    try {
      return { text: await diff(form), complete }
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return { text: '', complete: false }
}
