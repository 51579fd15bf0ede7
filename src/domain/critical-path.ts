/** A task, and one that it needs first. */
export interface Dependency {
  readonly taskId: number
  readonly dependsOn: number
}

/**
 * The longest chain of tasks of which each waits for the one before: what is still to be done takes at least as many
 * steps. Ids from the first to the last; of several chains as long, the one whose tasks were made first. Empty where
 * nothing waits for anything.
 */
export const criticalPath = (dependencies: readonly Dependency[]): readonly number[] => {
  const dependents = new Map<number, number[]>()
  const open = new Map<number, number>()
  for (const { taskId, dependsOn } of dependencies) {
    const known = dependents.get(dependsOn)
    if (known) known.push(taskId)
    else dependents.set(dependsOn, [taskId])
    open.set(taskId, (open.get(taskId) ?? 0) + 1)
    if (!open.has(dependsOn)) open.set(dependsOn, 0)
  }
  /** Of each task: how many it is the last of, and the one before it on that chain. */
  const best = new Map<number, { readonly length: number; readonly before: number | null }>()
  const ready = [...open].filter(([, needed]) => needed === 0).map(([id]) => id)
  for (const id of ready) if (!best.has(id)) best.set(id, { length: 1, before: null })
  // The list grows while it is gone through: a task is ready once all that it needs was.
  for (let at = 0; at < ready.length; at++) {
    const id = ready[at]!
    const { length } = best.get(id)!
    for (const next of dependents.get(id) ?? []) {
      const known = best.get(next)
      if (!known || length + 1 > known.length || (length + 1 === known.length && id < (known.before ?? Infinity))) best.set(next, { length: length + 1, before: id })
      const left = open.get(next)! - 1
      open.set(next, left)
      if (left === 0) ready.push(next)
    }
  }
  let last: number | null = null
  for (const id of ready) {
    const [length, most] = [best.get(id)!.length, last === null ? 0 : best.get(last)!.length]
    if (length > most || (length === most && id < last!)) last = id
  }
  const path: number[] = []
  for (let id = last; id !== null; id = best.get(id)!.before) path.push(id)
  return path.reverse()
}
