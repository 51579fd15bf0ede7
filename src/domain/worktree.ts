export const worktreeStates = ['active', 'integrated', 'discarded'] as const
export type WorktreeState = (typeof worktreeStates)[number]

/** What the folder of a worktree still waits for. */
export const folderStates = ['building', 'ready', 'leaving', 'gone'] as const
export type FolderState = (typeof folderStates)[number]

/** What a port is for: what works in the worktree, or the verification of its merge, which may run at the same time. */
export const portPurposes = ['work', 'verification'] as const
export type PortPurpose = (typeof portPurposes)[number]

/** A worktree that takes no work any more. */
export interface EndedWorktree {
  readonly name: string
  readonly status: WorktreeState
}

/** Why a failed task in it waits for another end than a retry. */
export const whyNotTriedAgain = ({ name, status }: EndedWorktree, what = 'it'): string => `worktree ${name} is already ${status}, so ${what} cannot be tried again`

/** True where `path` is `root` or lies below it. Both absolute and already resolved (DESIGN section 9: never StartsWith). */
export const isWithin = (path: string, root: string): boolean => {
  const base = root.endsWith('/') ? root : `${root}/`
  return path === root || path.startsWith(base)
}

/** Names no worktree: the task is to have one of its own, whatever the setting says. */
export const OWN_WORKTREE = 'auto'

/** `task-12-login-form`: a valid name of a worktree and of a branch, whatever the title says. */
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
