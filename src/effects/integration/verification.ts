import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TargetTests, testFiles } from '../../domain/integration/test-files.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { beginVerification, endVerification } from '../../operations/integration/verification.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { IntegrationView } from '../../operations/views/worktrees.ts'
import { logsFolder } from '../files/paths.ts'
import { committer } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, git, lockIn } from '../git/git.ts'
import { decodedName } from '../git/quoted-names.ts'
import { checkouts } from '../git/repository.ts'
import { holding } from '../lease.ts'
import { branchEnvironment, ownSecrets } from '../processes/environment.ts'
import { maskLog, readOutput } from '../processes/output.ts'
import { runCommand } from '../processes/process.ts'
import { endMarked } from '../processes/signals.ts'
import { confinedStep } from '../sandbox/confinement.ts'
import { releaseBase } from '../worktree-git/branch.ts'
import { removeWorktreeGit, worktreeGitOf } from '../worktree-git/folder.ts'
import { BUILDER } from '../worktrees/builder.ts'
import { releaseVerificationPort, worktreeEnvironment } from '../worktrees/ports.ts'
import type { World } from '../world.ts'

export type Verification = NonNullable<IntegrationView['verification']>

interface ToVerify {
  readonly commit: string
  readonly command: string
  /** The integrations that the commit combines; the last one names the log. */
  readonly integrations: readonly number[]
  /** The worktree whose port the verification uses. */
  readonly worktree: string
}

/** Runs the verification command on a commit, and records it; a log keeps its output. */
export const verify = async (world: World, toVerify: ToVerify): Promise<Verification> => {
  const { core, actor } = world
  const { commit, command, integrations } = toVerify
  const log = logOf(world, `verify-${integrations.at(-1)!}`)
  const { id } = await perform(
    core,
    beginVerification,
    { commitOid: commit, integrations: [...integrations], command, log },
    actor,
  )
  const startedAt = core.clock()
  const { exitCode, unconfined } = await runOn(world, toVerify, log)
  const { endedAt } = await perform(core, endVerification, { id, exitCode }, actor)
  const { text } = await readOutput(log, { tail: 4000 })
  return { id, command, exitCode, log, tail: maskSecrets(text, ownSecrets()), startedAt, endedAt, unconfined }
}

/** A new log, whose name begins so. */
const logOf = ({ core }: World, name: string): string => {
  const log = join(logsFolder(core.root), `${name}-${core.clock().replace(/\D/g, '')}.log`)
  mkdirSync(logsFolder(core.root), { recursive: true, mode: 0o700 })
  rmSync(log, { force: true })
  return log
}

/** How a command ended, and why the kernel did not confine it; null if it did, or if nothing ran. */
interface Ended {
  readonly exitCode: number | null
  readonly unconfined: string | null
}

/** Runs the command on a commit in a separate, detached worktree. */
const runOn = async (
  world: World,
  { commit, command, integrations, worktree }: ToVerify,
  log: string,
): Promise<Ended> => {
  const { root } = world.core
  const reason = `aiswarm verifies integration ${integrations.at(-1)!}`
  const marker = { AISWARM_VERIFY: `${integrations.at(-1)!} of ${root}` }
  await endMarked(marker)
  await removeCheckouts(root, reason)
  const parent = mkdtempSync(join(tmpdir(), 'aiswarm-verify-'))
  const folder = join(parent, 'checkout')
  try {
    const problem = await holding(world, BUILDER, () => checkOut(root, { folder, commit, reason }))
    if (problem !== undefined) writeFileSync(log, `${problem}\n`, { mode: 0o600 })
    const environment = { ...(await worktreeEnvironment(world, worktree, 'verification')), ...marker }
    return problem === undefined ? await runBoth(world, { command, folder, environment, log }) : NO_CHECKOUT
  } finally {
    // A process that it left running would continue in a deleted folder, and in its log.
    await endMarked(marker)
    maskLog(log)
    await releaseVerificationPort(world, worktree)
    // Removes only its own checkout: another process may be verifying the same commit by now.
    await removeCheckout(root, folder)
    rmSync(parent, { recursive: true, force: true })
  }
}

/** Time limit of a verification (ms). */
const LIMIT = 30 * 60_000

/** Runs the setup of worktrees, then the command, each in a sandbox of its own. Says how the last that ran has ended. */
const runBoth = async (
  world: World,
  start: { command: string; folder: string; environment: Readonly<Record<string, string>>; log: string },
): Promise<Ended> => {
  const { folder, environment, log: output } = start
  const { setup, setupTimeout } = world.core.settings.worktrees
  const base = branchEnvironment(world.core)
  const run = (command: string, timeout: number): Promise<Ended> => {
    const inside = { folder, environment: { ...base, ...environment }, log: output }
    return confinedStep(world, 'verification', inside, async (words, unconfined) => {
      const { exitCode } = await runCommand(command, { cwd: folder, base, environment, output, timeout, inside: words })
      return { exitCode, unconfined }
    })
  }
  const prepared = setup === '' ? undefined : await run(setup, setupTimeout)
  return prepared === undefined || prepared.exitCode === 0 ? run(start.command, LIMIT) : prepared
}

/** The exit code of a verification that could not start, which is git's own for a fatal error. */
const NO_CHECKOUT: Ended = { exitCode: 128, unconfined: null }

/** Writes the files of the commit. Returns git's error, such as a missing object, which a retry would not fix. */
const checkOut = async (
  root: string,
  { folder, commit, reason }: { folder: string; commit: string; reason: string },
): Promise<string | undefined> => {
  try {
    await git(root, ['worktree', 'add', '--detach', '--lock', '--reason', reason, '--end-of-options', folder, commit], {
      environment: await withoutPrograms(root),
    })
    return undefined
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'git_failed' || lockIn(error) !== undefined) throw error
    return `The merge could not be checked out: ${error.message}`
  }
}

/** Removes checkouts that interrupted verifications have left. */
const removeCheckouts = async (root: string, reason: string): Promise<void> => {
  for (const { path } of (await checkouts(root)).filter(({ lock }) => lock === reason)) await removeCheckout(root, path)
}

const removeCheckout = async (root: string, path: string): Promise<void> => {
  const own = worktreeGitOf(root, path)
  if (own !== undefined) {
    removeWorktreeGit(own)
    await releaseBase(own)
  }
  rmSync(path, { recursive: true, force: true })
  await askGit(root, ['worktree', 'remove', '--force', '--force', '--end-of-options', path], { answers: [128] })
}

// A branch that weakens its tests passes its own verification. So the same command runs once more with the versions of
// the target: a fact for the person, who may know why a test had to change.

/** The most paths that are remembered, and the part of the output in which they are looked for (bytes). */
const MOST = 100
const OUTPUT = 256 * 1024

/**
 * Verifies a merge with the target's versions of the files of tests and CI that the branch changed or deleted; null if
 * it did neither. `patterns` null stands for those that aiswarm knows.
 */
export const verifyWithTargetTests = async (
  world: World,
  toVerify: ToVerify,
  targetOid: string,
  patterns: readonly string[] | null,
): Promise<TargetTests | null> => {
  const { root } = world.core
  const files = await changedTests(
    root,
    targetOid,
    toVerify.commit,
    patterns ?? testFiles.flatMap((known) => known.patterns),
  )
  if (files.length === 0) return null
  const commit = await commitWith(root, toVerify.commit, files)
  const log = logOf(world, `verify-${toVerify.integrations.at(-1)!}-target-tests`)
  const { exitCode } = await runOn(world, { ...toVerify, commit }, log)
  const paths = files.map(({ path }) => decodedName(Buffer.from(path, 'latin1')))
  const output = exitCode === 0 ? '' : (await readOutput(log, { tail: OUTPUT })).text
  const deleted = files.filter(({ isDeleted }) => isDeleted).length
  return {
    changed: files.length - deleted,
    deleted,
    paths: paths.slice(0, MOST),
    named: paths.filter((path) => output.includes(path)).slice(0, MOST),
    exitCode,
    log,
  }
}

/** A file as it is on the target. */
interface TestFile {
  readonly mode: string
  readonly oid: string
  /** Its bytes, one character each. */
  readonly path: string
  readonly isDeleted: boolean
}

/** New files stay: the target has no other version of them. */
const changedTests = async (
  root: string,
  targetOid: string,
  commit: string,
  patterns: readonly string[],
): Promise<readonly TestFile[]> => {
  if (patterns.length === 0) return []
  const globs = patterns.map((pattern) => `:(top,glob,icase)${pattern}`)
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-filter=MDT', targetOid, commit]
  const words = (await git(root, [...args, '--', ...globs], { bytes: true })).split('\0')
  return Array.from({ length: Math.floor(words.length / 2) }, (_, at): TestFile => {
    const [mode = '', , oid = '', , status] = words[2 * at]!.slice(1).split(' ')
    return { mode, oid, path: words[2 * at + 1]!, isDeleted: status === 'D' }
  }).filter(({ mode }) => mode !== SUBMODULE)
}

const SUBMODULE = '160000'

/** A commit of the merge with these files; no ref leads to it. */
const commitWith = async (root: string, commit: string, files: readonly TestFile[]): Promise<string> => {
  const scratch = mkdtempSync(join(tmpdir(), 'aiswarm-target-tests-'))
  try {
    const environment = { ...(await withoutPrograms(root)), GIT_INDEX_FILE: join(scratch, 'index') }
    await git(root, ['read-tree', commit], { environment })
    await git(root, ['update-index', '--add', '--replace', '-z', '--index-info'], {
      input: files.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join(''),
      bytes: true,
      environment,
    })
    const tree = (await git(root, ['write-tree'], { environment })).trim()
    const input = "Verify with the target's tests\n"
    return (await git(root, ['commit-tree', tree, '-p', commit], { input, environment: await committer(root) })).trim()
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
