import { safeText } from '../../domain/words/safe-text.ts'

/** A task of a list that is not imported yet. */
export interface PlannedTask {
  readonly title: string
  readonly personaId: string
  readonly dependencies?: readonly number[] | undefined
  readonly targetWorktree?: string | undefined
  readonly command?: string | undefined
}

/**
 * The tasks as a tree, by their positions in the list: each below the last task that it depends on, with the other ones
 * named. The dependencies have no cycle.
 */
export const planTree = (tasks: readonly PlannedTask[]): string => {
  const below = new Map<number, number[]>()
  for (const [at, { dependencies = [] }] of tasks.entries()) {
    const parent = Math.max(0, ...dependencies)
    below.set(parent, [...(below.get(parent) ?? []), at + 1])
  }
  const branches = (parent: number, depth: number): string[] =>
    (below.get(parent) ?? []).flatMap((place) => [
      `${'  '.repeat(depth)}${place}  ${lineOf(tasks[place - 1]!, parent)}`,
      ...branches(place, depth + 1),
    ])
  return branches(0, 0).join('\n')
}

const lineOf = (
  { title, personaId, dependencies = [], targetWorktree, command }: PlannedTask,
  parent: number,
): string => {
  const others = [...new Set(dependencies)].filter((place) => place !== parent)
  const about = [
    command === undefined ? personaId : 'shell command',
    ...(targetWorktree === undefined
      ? []
      : [targetWorktree === 'auto' ? 'own worktree' : `worktree ${targetWorktree}`]),
    ...(others.length === 0 ? [] : [`also after ${others.join(', ')}`]),
  ]
  return `${safeText(title)}  (${safeText(about.join('; '))})`
}
