export const worktreeStates = ['active', 'integrated', 'discarded'] as const
export type WorktreeState = (typeof worktreeStates)[number]

/** The state of a worktree's folder. */
export const folderStates = ['building', 'ready', 'leaving', 'gone'] as const
export type FolderState = (typeof folderStates)[number]

/**
 * The purpose of a port: for programs in the worktree, or for the verification of its merge, which may run at the same
 * time.
 */
export const portPurposes = ['work', 'verification'] as const
export type PortPurpose = (typeof portPurposes)[number]

/** A worktree that accepts no more work. */
export interface EndedWorktree {
  readonly name: string
  readonly status: WorktreeState
}

/** The reason why a failed task in it cannot be retried. */
export const whyNotTriedAgain = ({ name, status }: EndedWorktree, what = 'it'): string =>
  `worktree ${name} is already ${status}, so ${what} cannot be retried`

/**
 * True if `path` is `root` or below it. Both must be absolute and resolved; comparing prefixes alone would be wrong.
 */
export const isWithin = (path: string, root: string): boolean => {
  const base = root.endsWith('/') ? root : `${root}/`
  return path === root || path.startsWith(base)
}

/** Requests a separate worktree for the task, whatever the setting is. */
export const OWN_WORKTREE = 'auto'

/** `task-12-login-form`: a valid name for a worktree and a branch, whatever the title is. */
export const ownWorktreeName = (taskId: number, title: string): string => {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 30)
    .replace(/^-+|-+$/g, '')
  return words === '' ? `task-${taskId}` : `task-${taskId}-${words}`
}

/** True if the worktree was created for this task alone, under its name or that name with a number. */
export const isOwnWorktree = (name: string, taskId: number, title: string): boolean => {
  const own = ownWorktreeName(taskId, title)
  return name === own || (name.startsWith(`${own.slice(0, 46)}-`) && /-\d+$/.test(name))
}

/** `race-12-claude-opus`: the name for the worktree of a racer, and for its branch. */
export const raceWorktreeName = (taskId: number, kind: string, model: string | null): string =>
  `race-${taskId}-${plain(kind)}${model === null ? '' : `-${plain(model)}`}`.slice(0, 46).replace(/-+$/, '')

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
