import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IntegrationView } from '../operations/kernel/views.ts'
import { askGit, git } from './git.ts'
import { readOutput } from './output.ts'
import { logsFolder } from './places.ts'
import { runCommand } from './process.ts'
import { BUILDER } from './worktree-builder.ts'
import { holding, type World } from './world.ts'

/** Longest that a verification may take (ms). */
const LIMIT = 30 * 60_000

/** Runs the verification command on a commit in a detached worktree of its own; its output stays in a log. */
export const verify = async (world: World, id: number, commit: string, command: string): Promise<IntegrationView['verification']> => {
  const { root, settings } = world.core
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(root), `verify-${id}.log`)
  rmSync(log, { force: true })
  const parent = mkdtempSync(join(tmpdir(), 'aiswarm-verify-'))
  const folder = join(parent, 'checkout')
  try {
    await holding(world, BUILDER, () => git(root, ['worktree', 'add', '--detach', '--end-of-options', folder, commit]))
    const { setup, setupTimeout } = settings.worktrees
    const set = setup === '' ? { exitCode: 0 } : await runCommand(setup, { cwd: folder, output: log, timeout: setupTimeout })
    const { exitCode } = set.exitCode === 0 ? await runCommand(command, { cwd: folder, output: log, timeout: LIMIT }) : set
    const { text } = await readOutput(log, { tail: 4000 })
    return { command, exitCode, log, tail: text }
  } finally {
    if (existsSync(folder)) await askGit(root, ['worktree', 'remove', '--force', '--end-of-options', folder], { answers: [128] })
    rmSync(parent, { recursive: true, force: true })
  }
}
