import { resolve } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { Context } from '../perform/core.ts'

/** Seed 004 puts worktrees beside the repository, because one inside would be part of it. */
export const worktreePath = ({ root, settings }: Pick<Context, 'root' | 'settings'>, name: string): string => {
  const path = resolve(root, settings.worktrees.path.replaceAll('{name}', name))
  if (isWithin(path, root))
    throw new Refusal(
      'config_invalid',
      `worktrees.path puts ${name} inside the repository. Choose a folder outside of ${root}.`,
    )
  return path
}
