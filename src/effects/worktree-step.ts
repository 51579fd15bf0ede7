import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { maskSecrets } from '../domain/secrets.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { branchEnvironment, ownSecrets } from './environment.ts'
import { maskLog } from './masked-log.ts'
import { lastLine } from './output.ts'
import { logsFolder } from './places.ts'
import { runCommand } from './process.ts'
import type { World } from './world.ts'

/** A command of the configuration that readies a worktree, or clears up behind it. */
export interface Step {
  readonly name: 'setup' | 'teardown'
  readonly command: string
  /** Milliseconds. */
  readonly timeout: number
  readonly environment: Readonly<Record<string, string>>
}

/** Runs it in the worktree, its output in a log of its own; gives the sentence that tells what went wrong, if so. */
export const runStep = async ({ core }: World, { name, path }: Pick<WorktreeWork, 'name' | 'path'>, step: Step): Promise<string | undefined> => {
  mkdirSync(logsFolder(core.root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(core.root), `${step.name}-${name}.log`)
  // What an earlier try said would be taken for the reason of this one.
  rmSync(log, { force: true })
  const { exitCode, timedOut } = await runCommand(step.command, { cwd: path, base: branchEnvironment(core), environment: step.environment, output: log, timeout: step.timeout })
  maskLog(log)
  if (!timedOut && exitCode === 0) return undefined
  const how = timedOut ? `took longer than ${step.timeout / 1000} s` : exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`
  const said = maskSecrets(await lastLine(log), ownSecrets())
  return `worktrees.${step.name} ('${step.command}') ${how}${said === '' ? '' : `: ${said}`}; see ${log}.`
}
