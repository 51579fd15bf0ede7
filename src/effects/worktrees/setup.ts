import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { logsFolder } from '../files/paths.ts'
import { fence } from '../lease.ts'
import { branchEnvironment, ownSecrets } from '../processes/environment.ts'
import { lastLine, maskLog } from '../processes/output.ts'
import { runCommand } from '../processes/process.ts'
import { confinedStep } from '../sandbox/confinement.ts'
import type { World } from '../world.ts'
import { builderMarkers } from './building-site.ts'
import { provenFolder } from './folder.ts'
import { presentEnvironment, recordServed, worktreeEnvironment } from './ports.ts'

// The commands of the configuration that prepare a worktree and clean up after it.

/** Leases the port and runs the configured setup in the final folder. */
export const setUp = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'branch' | 'path'>): Promise<void> => {
  const { root, settings } = world.core
  const environment = await worktreeEnvironment(world, worktree.name)
  const { setup, setupTimeout } = settings.worktrees
  if (setup === '') return
  const step = {
    name: 'setup',
    command: setup,
    timeout: setupTimeout,
    environment: { ...environment, ...builderMarkers(root, worktree.name) },
  } as const
  await fence(world)
  const problem = await runStep(world, worktree, step)
  if (problem !== undefined) throw new Refusal('setup_failed', problem)
  await recordServed(world, worktree.name)
}

/**
 * Runs `worktrees.teardown` in a worktree that is about to be removed. A failure is reported and does not block the
 * removal. An interrupted removal runs it again.
 */
export const tearDown = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'path'>): Promise<void> => {
  const { teardown, teardownTimeout } = world.core.settings.worktrees
  if (teardown === '' || !existsSync(join(worktree.path, '.git'))) return
  const environment = await presentEnvironment(world, worktree.name)
  const step = { name: 'teardown', command: teardown, timeout: teardownTimeout, environment } as const
  // In another folder that has taken its place it would delete something else; then it is skipped.
  const problem = await runStep(world, worktree, step).catch((error: unknown) => {
    if (!isRefusal(error) || isUndecided(error)) throw error
    return error.message
  })
  if (problem !== undefined) world.report(`Worktree ${worktree.name}: ${problem} Its folder is removed anyway.`)
}

/** A command of the configuration that prepares a worktree, or cleans up after it. */
interface Step {
  readonly name: 'setup' | 'teardown'
  readonly command: string
  /** Milliseconds. */
  readonly timeout: number
  readonly environment: Readonly<Record<string, string>>
}

/** Runs it in the worktree with a separate log for its output; returns a sentence about a failure, if any. */
const runStep = async (
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
  const { exitCode, timedOut, goesOn } = await confinedStep(world, step.name, inside, (words) =>
    runCommand(step.command, {
      cwd: path,
      base,
      environment: step.environment,
      inside: words,
      output: log,
      timeout: step.timeout,
    }),
  )
  // One that is still written to is masked only when it is shown.
  if (!goesOn) maskLog(log)
  if (!timedOut && exitCode === 0) return undefined
  const how = timedOut
    ? `took longer than ${step.timeout / 1000} s`
    : exitCode === null
      ? 'was killed by a signal'
      : `ended with exit code ${exitCode}`
  const said = maskSecrets(await lastLine(log), ownSecrets())
  return `worktrees.${step.name} ('${step.command}') ${how}${said === '' ? '' : `: ${said}`}; see ${log}.`
}
