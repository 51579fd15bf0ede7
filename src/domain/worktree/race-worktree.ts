/** `race-12-claude-opus`: the name for the worktree of a racer, and for its branch. */
export const raceWorktreeName = (taskId: number, kind: string, model: string | null): string =>
  `race-${taskId}-${plain(kind)}${model === null ? '' : `-${plain(model)}`}`.slice(0, 46).replace(/-+$/, '')

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
