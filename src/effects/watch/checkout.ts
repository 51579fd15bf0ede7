import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CheckoutFiles,
  codeOf,
  type FileChange,
  hashOf,
  HEAD_ENTRY,
} from '../../domain/integration/external-changes.ts'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { readCheckout, recordCheckout } from '../../operations/integration/drift-detection.ts'
import { readWatched } from '../../operations/integration/drift.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { askGit } from '../git/git.ts'
import { changedPaths } from '../git/working-tree.ts'
import type { Job } from '../job.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { launchingNow, noticeTargets, targetsPrint } from './targets.ts'

// When targets and the main checkout are checked for changes by other programs, and how the checkout is compared.

/** Runs before an agent starts: earlier changes are the person's. */
export const noticeBeforeRun = (world: World): Promise<void> =>
  unlessRefused(world, async () => {
    await noticeTargets(world)
    await lookBeforeRun(world)
  })

/** Runs at the end of a run, while it still counts as running. */
export const noticeAfterRun = (world: World, run: Pick<AgentRun, 'agentId' | 'worktree'>): Promise<void> =>
  unlessRefused(world, async () => {
    await noticeTargets(world)
    await lookAfterRun(world, run)
  })

/** A repository that git cannot read blocks no start and no end of a run; the error is reported. */
const unlessRefused = async (world: World, work: () => Promise<unknown>): Promise<void> => {
  // The watch is over the targets and the main checkout of the board, on its first host.
  if (!isHome(world.core)) return
  try {
    await work()
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    world.report(error.message)
  }
}

/** How often a checkout with changes that wait for a person is checked again (ms). */
const AGAIN = 5000

/**
 * The watch as a source of the supervisor's jobs. A target is checked when a file of its ref has changed, which needs
 * no process. The first check comes before any agent starts.
 */
export const watchJobsOf = (world: World) => {
  const { core, actor } = world
  let known: { readonly version: number; readonly targets: readonly string[]; readonly changed: boolean } | undefined
  let print = ''
  let due = 0
  return async (now: number): Promise<readonly Job[]> => {
    const version = core.store.version()
    if (known?.version !== version) {
      const { targets, checkout } = await perform(core, readWatched, {}, actor)
      known = { version, targets: targets.map(({ target }) => target), changed: checkout !== null }
    }
    const seen = [...known.targets, targetsPrint(core.root, known.targets)].join('\n')
    const jobs: Job[] = []
    if (seen !== print)
      jobs.push({
        key: 'targets',
        run: async () => {
          if (await noticeTargets(world)) print = seen
        },
      })
    if (known.changed && now >= due) {
      due = now + AGAIN
      jobs.push({ key: 'checkout', run: () => lookAgain(world) })
    }
    return jobs
  }
}

// An agent in a worktree must not change the main checkout, which holds the person's own changes. The checkout's state
// by git is recorded before the first agent starts, and compared when a run ends.

/** Records the checkout's state before an agent starts, unless another agent may already be changing it. */
const lookBeforeRun = async (world: World): Promise<void> => {
  const { core, actor } = world
  if (!core.settings.integration.watchCheckout) return
  if (
    (await wishesOf(world)).runs.some(({ process }) => process === 'started') ||
    (await launchingNow(world)).length > 0
  )
    return
  await perform(core, recordCheckout, { at: 'begin', files: await filesOf(world), changes: [] }, actor)
}

/** Compares the checkout after a run with its own worktree. Other runs may work there. */
const lookAfterRun = async (world: World, run: Pick<AgentRun, 'agentId' | 'worktree'>): Promise<void> => {
  const { core, actor } = world
  if (!core.settings.integration.watchCheckout) return
  const before = await perform(core, readCheckout, {}, actor)
  if (before === null) return
  const files = await filesOf(world)
  await perform(
    core,
    recordCheckout,
    { at: 'end', files, changes: await changesOf(world, before, files), agentId: run.agentId },
    actor,
  )
}

/** Removes notices about files that are again as they were. */
export const lookAgain = async (world: World): Promise<void> => {
  await perform(world.core, recordCheckout, { at: 'look', files: await filesOf(world), changes: [] }, world.actor)
}

const changesOf = async (world: World, before: CheckoutFiles, after: CheckoutFiles): Promise<FileChange[]> => {
  const { root } = world.core
  const { moves } = await perform(world.core, readWatched, {}, world.actor)
  // If the branch was moved without the files, all of its changes appear staged in reverse.
  const isMoved = moves.some(({ target }) => branchRef(target) === after[HEAD_ENTRY])
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((path): FileChange[] => {
    const [was, is] = [before[path] ?? '', after[path] ?? '']
    if (was === is) return []
    // Committed unchanged: the report of the branch's move covers it.
    if (is === '' && hashOf(was) === stampsOf(root, path)) return []
    if (isMoved && was === '' && codeOf(is).endsWith(' ')) return []
    return [{ path, before: was, after: is }]
  })
}

/** Paths that aiswarm itself writes there, also for agents. */
const ownFolders = ['.aiswarm/', '.ai/', '.claude/sessions/', 'context/meta/', 'context/decisions/', 'context/agents/']

const filesOf = async ({ core, memory }: World): Promise<CheckoutFiles> => {
  const { root } = core
  const own = [...ownFolders, `${memory.basePath.replace(/\/$/, '')}/`]
  const changed = (await changedPaths(root)).filter(({ path }) => !own.some((folder) => path.startsWith(folder)))
  const named = changed.slice(0, MOST).map(({ code, path }) => [path, `${code} ${stampsOf(root, path)}`] as const)
  const rest = changed.slice(MOST).map(({ code, path }) => `${code} ${path}`)
  const more =
    rest.length === 0
      ? []
      : [
          [
            `${rest.length} more files`,
            `?? ${createHash('sha256').update(rest.join('\0')).digest('hex').slice(0, 16)}`,
          ] as const,
        ]
  return Object.fromEntries([[HEAD_ENTRY, await headOf(root)], ...named, ...more])
}

const headOf = async (root: string): Promise<string> => {
  const { exitCode, stdout } = await askGit(root, ['symbolic-ref', '--quiet', 'HEAD'], { answers: [1, 128] })
  return exitCode === 0 ? stdout.trim() : ((await commitOf(root, 'HEAD')) ?? 'none')
}

/** The number of changed files that are compared one by one. */
const MOST = 1000

/** The largest file whose content is compared (bytes); of a larger one, size and date. */
const LARGE = 1024 * 1024

const stampsOf = (root: string, path: string): string => {
  const file = join(root, path)
  try {
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) return shortHash(readlinkSync(file))
    if (!stat.isFile()) return 'folder'
    return `${(stat.mode & 0o100) === 0 ? '' : 'x'}${stat.size > LARGE ? `${stat.size}.${stat.mtimeMs}` : shortHash(readFileSync(file))}`
  } catch {
    return 'gone'
  }
}

const shortHash = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 16)
