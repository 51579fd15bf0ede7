import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { maskSecrets } from '../../domain/words/secrets.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { branchEnvironment, ownSecrets } from '../processes/environment.ts'
import { lastLine, maskLog } from '../processes/output.ts'
import { logsFolder } from '../files/paths.ts'
import { runCommand } from '../processes/process.ts'
import { provenFolder } from './place.ts'
import { confinedStep } from '../sandbox/confinement.ts'
import type { World } from '../world.ts'

/** A command of the configuration that prepares a worktree, or cleans up after it. */
export interface Step {
  readonly name: 'setup' | 'teardown'
  readonly command: string
  /** Milliseconds. */
  readonly timeout: number
  readonly environment: Readonly<Record<string, string>>
}

/** Runs it in the worktree with a separate log for its output; returns a sentence about a failure, if any. */
export const runStep = async (
  world: World,
  { name, path }: Pick<WorktreeWork, 'name' | 'path'>,
  step: Step,
): Promise<string | undefined> => {
  const { core } = world
  await provenFolder(world, name)
  mkdirSync(logsFolder(core.root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(core.root), `${step.name}-${name}.log`)
  // The output of an earlier try would be mistaken for the reason of this one.
  rmSync(log, { force: true })
  const base = branchEnvironment(core)
  const inside = { folder: path, environment: { ...base, ...step.environment }, log }
  const { exitCode, timedOut } = await confinedStep(world, step.name, inside, (words) =>
    runCommand(step.command, {
      cwd: path,
      base,
      environment: step.environment,
      inside: words,
      output: log,
      timeout: step.timeout,
    }),
  )
  maskLog(log)
  if (!timedOut && exitCode === 0) return undefined
  const how = timedOut
    ? `took longer than ${step.timeout / 1000} s`
    : exitCode === null
      ? 'was killed by a signal'
      : `ended with exit code ${exitCode}`
  const said = maskSecrets(await lastLine(log), ownSecrets())
  return `worktrees.${step.name} ('${step.command}') ${how}${said === '' ? '' : `: ${said}`}; see ${log}.`
}
