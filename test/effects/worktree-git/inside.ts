import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { enrolRepository } from '../../../src/effects/files/git-dir.ts'
import { confine, encloseWorktrees, prepareOwnGit } from '../../../src/effects/sandbox/confinement.ts'
import type { World } from '../../../src/effects/world.ts'
import { importBranch } from '../../../src/effects/worktree-git/branch.ts'
import { git, repository } from '../swarm.ts'

/** A worktree `auth` on its branch whose git is its own, and a way to run a shell inside as its agent does. */
export const opened = async (files?: Readonly<Record<string, string>>, prepare: (root: string) => void = () => {}) => {
  const root = repository(files)
  prepare(root)
  git(root, 'worktree', 'add', '--quiet', '-b', 'feature/auth', join(dirname(root), 'auth'))
  return reopened(root, realpathSync(join(dirname(root), 'auth')))
}

export const reopened = async (root: string, folder: string) => {
  enrolRepository(root)
  const world = { core: { root, settings: defaultSettings } } as unknown as Pick<World, 'core'>
  encloseWorktrees(world)
  const own = (await prepareOwnGit(world, folder, 'auto'))!
  const start = { folder, programs: [], environment: { PATH: process.env['PATH'] ?? '' } }
  const { words } = await confine(world, 'command', start, 'auto', { network: [] })
  /** Runs lines of sh inside; returns what they print, and how they ended. */
  const inside = (script: string): { readonly out: string; readonly code: number | null } => {
    const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }
    const { stdout, stderr, status } = spawnSync(words[0]!, [...words.slice(1), '/bin/sh', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: environment,
      maxBuffer: 64 * 1024 ** 2,
    })
    return { out: `${stdout}${stderr}`.trimEnd(), code: status }
  }
  /** Imports the branch, as the process outside does for a run. */
  const imported = (): Promise<string | undefined> => importBranch(own, BRANCH, 'test')
  const tip = (ref: string = BRANCH): string => git(root, 'rev-parse', ref)
  return { root, folder, world, own, inside, imported, tip }
}

export const BRANCH = 'refs/heads/feature/auth'
