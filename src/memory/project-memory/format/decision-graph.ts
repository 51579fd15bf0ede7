import type { AdrStatus } from './adr-file.ts'
import { type DecisionLog, type DecisionNode, type EdgeKey, edgesOf, targetsOf } from './decision-log.ts'

// Changes of the graph of decisions, which leave the rest of its file as it is.

/** The graph with this status for a decision, which is appended if it is missing. */
export const withNode = (log: DecisionLog, id: string, status: AdrStatus): DecisionLog => {
  if (log.nodes.some((node) => node.id === id)) return withChanged(log, id, (node) => ({ ...node, status }))
  const above = spaced(log)
  return { ...above, nodes: [...above.nodes, { id, status, body: [''], line: 0 }] }
}

/** The graph with one more edge; a line `key: None` is replaced, and an existing edge is not repeated. */
export const withEdge = (log: DecisionLog, from: string, key: EdgeKey, to: string): DecisionLog =>
  withChanged(log, from, (node) => {
    if (targetsOf(node, key).includes(to)) return node
    const known = node.body.findIndex((line) => typeof line !== 'string' && line.key === key)
    const target = { id: to, note: null }
    if (known !== -1)
      return {
        ...node,
        body: node.body.map((line, at) =>
          at === known && typeof line !== 'string' ? { ...line, targets: [...line.targets, target] } : line,
        ),
      }
    const at = node.body.findLastIndex((line) => typeof line !== 'string') + 1
    return { ...node, body: [...node.body.slice(0, at), { key, targets: [target], line: 0 }, ...node.body.slice(at)] }
  })

/**
 * Decisions in a cycle of dependencies, the first again at the end; undefined if there is none. `blocks` is the inverse
 * of `depends_on`.
 */
export const cycleIn = ({ nodes }: DecisionLog): readonly string[] | undefined => {
  const needs = new Map<string, string[]>()
  const need = (from: string, to: string): void => {
    const known = needs.get(from)
    if (known) known.push(to)
    else needs.set(from, [to])
  }
  for (const node of nodes) {
    for (const { key, targets } of edgesOf(node)) {
      for (const { id } of targets) {
        if (key === 'depends_on' || key === 'extends') need(node.id, id)
        else if (key === 'blocks') need(id, node.id)
      }
    }
  }
  const done = new Set<string>()
  for (const start of needs.keys()) {
    const cycle = cycleFrom(start, needs, done)
    if (cycle) return cycle
  }
  return undefined
}

/** Without recursion, because a chain of decisions may be as long as its file allows. */
const cycleFrom = (
  start: string,
  needs: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined => {
  const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
  const on = new Set([start])
  while (path.length > 0) {
    const top = path.at(-1)!
    const to = needs.get(top.id)?.[top.next++]
    if (to === undefined) {
      done.add(top.id)
      on.delete(top.id)
      path.pop()
    } else if (on.has(to)) {
      const ids = path.map(({ id }) => id)
      return [...ids.slice(ids.indexOf(to)), to]
    } else if (!done.has(to)) {
      path.push({ id: to, next: 0 })
      on.add(to)
    }
  }
  return undefined
}

const withChanged = (log: DecisionLog, id: string, change: (node: DecisionNode) => DecisionNode): DecisionLog => ({
  ...log,
  nodes: log.nodes.map((node) => (node.id === id ? change(node) : node)),
})

/** Adds an empty line at the end, in front of a new decision. */
const spaced = (log: DecisionLog): DecisionLog => {
  const last = log.nodes.at(-1)
  if (!last) return { ...log, head: log.head.every((line) => line === '') ? [] : withEmptyEnd<string>(log.head) }
  return { ...log, nodes: [...log.nodes.slice(0, -1), { ...last, body: withEmptyEnd(last.body) }] }
}

const withEmptyEnd = <T>(lines: readonly (T | string)[]): readonly (T | string)[] => {
  const own = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return own.at(-1) === '' ? own : [...own, '']
}
