import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beginVerification } from '../../operations/begin-verification.ts'
import { endVerification } from '../../operations/end-verification.ts'
import { perform } from '../../operations/kernel/perform.ts'
import type { IntegrationView } from '../../operations/kernel/views.ts'
import { askGit, git } from '../git.ts'
import { checkouts } from '../git-facts.ts'
import { readOutput } from '../output.ts'
import { logsFolder } from '../places.ts'
import { releaseVerificationPort, worktreeEnvironment } from '../ports.ts'
import { endMarked, runCommand } from '../process.ts'
import { BUILDER } from '../worktree-builder.ts'
import { holding, type World } from '../world.ts'

/** Longest that a verification may take (ms). */
const LIMIT = 30 * 60_000

export type Verification = NonNullable<IntegrationView['verification']>

export interface ToVerify {
  readonly commit: string
  readonly command: string
  /** The integrations that the commit brings together; the last one names the log. */
  readonly integrations: readonly number[]
  /** The worktree whose port the verification gets. */
  readonly worktree: string
}

/** Runs the verification command on a commit in a detached worktree of its own; its output stays in a log. */
export const verify = async (world: World, { commit, command, integrations, worktree }: ToVerify): Promise<Verification> => {
  const { core, actor } = world
  const { root, settings } = core
  const name = `verify-${integrations.at(-1)!}-${core.clock().replace(/\D/g, '')}`
  const log = join(logsFolder(root), `${name}.log`)
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  rmSync(log, { force: true })
  const reason = `aiswarm verifies integration ${integrations.at(-1)!}`
  const marker = { AISWARM_VERIFY: `${integrations.at(-1)!} of ${root}` }
  await endMarked(marker)
  await removeCheckouts(root, reason)
  const { id } = await perform(core, beginVerification, { commitOid: commit, integrations: [...integrations], command, log }, actor)
  const startedAt = core.clock()
  const parent = mkdtempSync(join(tmpdir(), 'aiswarm-verify-'))
  const folder = join(parent, 'checkout')
  try {
    await holding(world, BUILDER, () => git(root, ['worktree', 'add', '--detach', '--lock', '--reason', reason, '--end-of-options', folder, commit]))
    const environment = { ...(await worktreeEnvironment(world, worktree, 'verification')), ...marker }
    const { setup, setupTimeout } = settings.worktrees
    const set = setup === '' ? { exitCode: 0 } : await runCommand(setup, { cwd: folder, environment, output: log, timeout: setupTimeout })
    const { exitCode } = set.exitCode === 0 ? await runCommand(command, { cwd: folder, environment, output: log, timeout: LIMIT }) : set
    const { endedAt } = await perform(core, endVerification, { id, exitCode }, actor)
    const { text } = await readOutput(log, { tail: 4000 })
    return { id, command, exitCode, log, tail: text, startedAt, endedAt }
  } finally {
    // What it left running would go on in a folder that is gone.
    await endMarked(marker)
    await releaseVerificationPort(world, worktree)
    await removeCheckouts(root, reason)
    rmSync(parent, { recursive: true, force: true })
  }
}

/** A verification that was cut off has left its checkout. */
const removeCheckouts = async (root: string, reason: string): Promise<void> => {
  for (const { path } of (await checkouts(root)).filter(({ lock }) => lock === reason)) {
    rmSync(path, { recursive: true, force: true })
    await askGit(root, ['worktree', 'remove', '--force', '--force', '--end-of-options', path], { answers: [128] })
  }
}
