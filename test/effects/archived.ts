import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { wishesOf } from '../../src/effects/wishes.ts'
import { discardWorktree } from '../../src/operations/worktrees/discard.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import type { WorktreeWork } from '../../src/operations/supervision/wishes.ts'
import { restoreWorktree } from '../../src/operations/worktrees/restore.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { git, gitEnvironment, sh, type Swarm } from './swarm.ts'

/** Everything in a folder by its path, one character per byte: permissions, and the bytes of a file or the target of a link. */
export const snapshot = (
  folder: string,
  skip: (path: string) => boolean = () => false,
): ReadonlyMap<string, string> => {
  const seen = new Map<string, string>()
  const visit = (path: string): void => {
    for (const name of readdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]), {
      encoding: 'latin1',
    })) {
      const inner = path === '' ? name : `${path}/${name}`
      if (inner === '.git' || skip(inner)) continue
      const full = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(inner, 'latin1')])
      const stats = lstatSync(full)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) seen.set(inner, `→ ${readlinkSync(full, 'latin1')}`)
      else if (stats.isDirectory()) {
        seen.set(inner, `folder ${mode}`)
        visit(inner)
      } else if (stats.isFile())
        seen.set(inner, `file ${mode} ${createHash('sha256').update(readFileSync(full)).digest('hex')}`)
    }
  }
  visit('')
  return seen
}

/** The git status of a worktree: HEAD, the staged files and their conflicts, the differences, and the operation in progress. */
export const standing = (folder: string): string =>
  [
    'rev-parse --symbolic-full-name HEAD',
    'rev-parse HEAD',
    'ls-files --stage',
    'status --porcelain=v2 --branch --untracked-files=all',
    'rev-parse -q --verify MERGE_HEAD',
    'reflog --format=%H%gs',
  ]
    .map((command) => {
      try {
        return execFileSync('git', ['-c', 'core.quotePath=true', ...command.split(' ')], {
          cwd: folder,
          env: gitEnvironment,
          encoding: 'latin1',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
      } catch (error) {
        return `exit ${String((error as { status?: number }).status)}`
      }
    })
    .concat(missingIn(folder))
    .join('\n')

/** Objects that the index names and git does not have. */
const missingIn = (folder: string): string =>
  existsSync(join(folder, '.git'))
    ? sh(
        folder,
        "git ls-files --stage 2>/dev/null | cut -d' ' -f2 | git cat-file --batch-check 2>/dev/null | grep missing || true",
      )
    : ''

export const discard = (swarm: Swarm, name = 'auth') =>
  act(swarm.connection, discardWorktree, { worktreeName: name, reason: 'not needed' })

/** Only requests the discard; returns the wish. */
export const leaving = async (swarm: Swarm, name = 'auth'): Promise<WorktreeWork> => {
  await perform(swarm.core, discardWorktree, { worktreeName: name, reason: 'not needed' }, person)
  return (await wishesOf(swarm.world)).worktrees.find((worktree) => worktree.name === name)!
}

export const restore = (swarm: Swarm, name = 'auth', branchName?: string) =>
  act(swarm.connection, restoreWorktree, { worktreeName: name, ...(branchName === undefined ? {} : { branchName }) })

export const kept = (swarm: Swarm, ...path: readonly string[]): string => swarm.path('.git/aiswarm', ...path)

/** The folders in the trash. */
export const trash = (swarm: Swarm): string[] =>
  existsSync(kept(swarm, 'trash'))
    ? readdirSync(kept(swarm, 'trash')).map((name) => join(kept(swarm, 'trash'), name))
    : []

export const tars = (swarm: Swarm): readonly string[] =>
  existsSync(kept(swarm, 'archive'))
    ? readdirSync(kept(swarm, 'archive')).map((name) => join(kept(swarm, 'archive'), name))
    : []

/** Deletes every object without a ref, as garbage collection would in time. */
export const forgetUnreferenced = (root: string): void => {
  git(root, 'reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all')
  git(root, 'gc', '--quiet', '--prune=now')
}
