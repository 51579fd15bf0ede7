import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/db/sqlite/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { gitProcesses } from '../../src/effects/git/command-log.ts'
import { landQueue } from '../../src/effects/integration/merge-queue.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import { approveIntegration } from '../../src/operations/integration/decisions.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { migrations, scratch } from '../bench-core.ts'
import { median, ms, type Row } from '../row.ts'

const FILES = 20_000
const CHANGED = 1000
const ROUNDS = 7

/**
 * From the request to the moved target, without verification, compared with the equivalent git commands by hand,
 * alternating; in a repository each, because a target that another program has moved costs ours a report.
 */
export const integrate = async (): Promise<Row> => {
  const [root, handRoot] = [makeRepository('bench'), makeRepository('by-hand')]
  const world = await openWorld(root, {
    openStore: (path) => openStore(path, { migrations }),
    self: [process.execPath],
    warn: () => {},
  })
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const [ours, theirs]: [number[], number[]] = [[], []]
  // One checkout for all of its branches: hundreds of thousands of files take longer to remove than all that is measured.
  const hand = join(handRoot, '../hand')
  git(handRoot, 'worktree', 'add', '--detach', hand, 'main')
  let processes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const name = `w${round}`
    const { path } = await act(connection, createWorktree, { name, branchName: `feature/${name}` })
    change(path, round)
    const before = gitProcesses()
    ours.push(
      await timed(async () => {
        const { integration } = await act(connection, requestIntegration, { worktreeName: name })
        const { targetOid, branchOid, mergeOid } = integration!
        await perform(
          world.core,
          approveIntegration,
          { worktreeName: name, targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! },
          person,
        )
        await landQueue(world, 'main')
      }),
    )
    processes = gitProcesses() - before
    git(hand, 'switch', '--create', `by-hand-${round}`, 'main')
    change(hand, round)
    theirs.push(await timed(() => byHand(handRoot, `by-hand-${round}`)))
  }
  world.core.store.close()
  const ratio = median(ours) / median(theirs)
  return {
    what: `integrating ${CHANGED} changed files of ${FILES} / the same git commands by hand`,
    measured: `${ratio.toFixed(2)}× (${ms(median(ours))} with ${processes} processes / ${ms(median(theirs))} with ${HAND})`,
    target: '≤ 1.3×',
    kept: ratio <= 1.3,
  }
}

/** The number of commands that `byHand` runs. */
const HAND = 17

/** The candidate, its ref, the checks before the move, the move: what docs/integration.md requires, command by command. */
const byHand = (root: string, branch: string): void => {
  const target = git(root, 'rev-parse', '--verify', 'refs/heads/main^{commit}')
  const tip = git(root, 'rev-parse', '--verify', `refs/heads/${branch}^{commit}`)
  git(root, 'config', '--list', '--includes', '--show-scope', '-z')
  exits(root, 'cat-file', 'blob', 'refs/heads/main:.aiswarm/config.yaml')
  git(root, 'config', '--get', 'user.email')
  exits(root, 'merge-base', '--is-ancestor', tip, target)
  const tree = git(root, 'merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', target, tip).split(
    '\0',
  )[0]!
  const merge = git(root, 'commit-tree', tree, '-p', target, '-p', tip, '-m', 'Integrate')
  git(root, 'update-ref', 'refs/aiswarm/candidate/hand', merge)
  git(root, 'config', '--list', '--includes', '--show-scope', '-z')
  git(root, 'rev-parse', '--verify', 'refs/heads/main^{commit}')
  git(root, 'rev-parse', '--verify', `refs/heads/${branch}^{commit}`)
  git(root, 'worktree', 'list', '--porcelain', '-z')
  exits(root, 'update-index', '-q', '--refresh')
  git(root, 'read-tree', '-m', '-u', target, merge)
  git(root, 'update-ref', 'refs/heads/main', merge, target)
  git(root, 'update-ref', '-d', 'refs/aiswarm/candidate/hand')
}

const makeRepository = (name: string): string => {
  const root = join(scratch(), name)
  mkdirSync(root)
  git(root, 'init', '--initial-branch=main')
  for (const [key, value] of [
    ['user.name', 'bench'],
    ['user.email', 'bench@localhost'],
    // No collection of loose objects beside a measurement.
    ['gc.auto', '0'],
  ] as const)
    git(root, 'config', key, value)
  for (let folder = 0; folder < 100; folder++) mkdirSync(join(root, `src/${folder}`), { recursive: true })
  for (let n = 0; n < FILES; n++) writeFileSync(fileOf(root, n), `file ${n}\n`.repeat(20))
  git(root, 'add', '.')
  git(root, 'commit', '--message', 'Begin')
  return root
}

const change = (folder: string, round: number): void => {
  for (let n = 0; n < CHANGED; n++) writeFileSync(fileOf(folder, n * 20), `changed in ${round}\n`.repeat(20))
  git(folder, 'commit', '--all', '--message', `Change ${round}`)
}

const fileOf = (folder: string, n: number): string => join(folder, `src/${n % 100}/file-${n}.txt`)

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** For commands whose answer is their exit code. */
const exits = (folder: string, ...args: string[]): void => {
  try {
    git(folder, ...args)
  } catch {
    // The answer is negative.
  }
}

const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
