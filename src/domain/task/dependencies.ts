/**
 * A cycle among tasks, as the ids along it with the first repeated at the end (`[1, 3, 1]`), or undefined. `edges` maps
 * a task to its dependencies; ids without an entry have none.
 */
export const findCycle = (edges: ReadonlyMap<number, readonly number[]>): readonly number[] | undefined => {
  const finished = new Set<number>()
  for (const root of edges.keys()) {
    const path: number[] = []
    const onPath = new Set<number>()
    // An explicit stack, because a chain of 10,000 tasks must not overflow the call stack.
    const stack: { id: number; rest: readonly number[]; at: number }[] = []
    const enter = (id: number): void => {
      stack.push({ id, rest: edges.get(id) ?? [], at: 0 })
      path.push(id)
      onPath.add(id)
    }
    if (!finished.has(root)) enter(root)
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!
      const next = top.rest[top.at++]
      if (next === undefined) {
        stack.pop()
        path.pop()
        onPath.delete(top.id)
        finished.add(top.id)
      } else if (onPath.has(next)) {
        return [...path.slice(path.indexOf(next)), next]
      } else if (!finished.has(next)) {
        enter(next)
      }
    }
  }
  return undefined
}
