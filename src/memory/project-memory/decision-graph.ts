import { FormatError } from '../format-error.ts'
import { oneLine, shown } from '../session-files/values.ts'
import { type AdrStatus, statusOf } from './adr-file.ts'

/** The relations between two decisions. */
export const edgeKeys = ['supersedes', 'superseded_by', 'blocks', 'depends_on', 'extends'] as const
export type EdgeKey = (typeof edgeKeys)[number]

interface Target {
  readonly id: string
  /** The text in parentheses; null if there is none. */
  readonly note: string | null
}

/** A line `├─ key: …` below a decision; without targets it reads `None`. */
interface Edge {
  readonly key: EdgeKey
  readonly targets: readonly Target[]
  /** From 1; 0 for a new edge. */
  readonly line: number
}

export interface DecisionNode {
  readonly id: string
  readonly status: AdrStatus
  /** Its edges, and other lines unchanged. */
  readonly body: readonly (Edge | string)[]
  readonly line: number
}

/** `decisions-log.md`: the graph of decisions, drawn as in the seed. */
export interface DecisionLog {
  readonly head: readonly string[]
  readonly nodes: readonly DecisionNode[]
}

/** Parses line by line, because the graph is often inside code fences. Refuses a decision that occurs twice. */
export const parseDecisionLog = (text: string, file: string): DecisionLog => {
  const head: string[] = []
  const nodes = new Map<string, { id: string; status: AdrStatus; body: (Edge | string)[]; line: number }>()
  let body: (Edge | string)[] | undefined
  for (const [at, source] of text.split('\n').entries()) {
    const line = at + 1
    const node = /^(ADR-\d{1,6})\s*\(([^()]*)\)\s*$/.exec(source)
    if (node) {
      const status = statusOf(node[2]!)
      if (status === undefined)
        throw new FormatError(file, line, `${shown(node[2]!)} is not a status; write Draft, Accepted or Superseded.`)
      const known = nodes.get(node[1]!)
      if (known) throw new FormatError(file, line, `${known.id} is already in line ${known.line}; write it once.`)
      body = []
      nodes.set(node[1]!, { id: node[1]!, status, body, line })
    } else if (body) body.push(edgeOf(source, line, file) ?? source)
    else head.push(source)
  }
  return { head, nodes: [...nodes.values()] }
}

export const renderDecisionLog = ({ head, nodes }: DecisionLog): string =>
  [...head, ...nodes.flatMap(nodeLines)].join('\n')

/** A decision with its edges as a tree. */
export const nodeLines = ({ id, status, body }: DecisionNode): readonly string[] => {
  const last = body.findLastIndex((line) => typeof line !== 'string')
  return [
    `${id} (${status})`,
    ...body.map((line, at) =>
      typeof line === 'string' ? line : `  ${at === last ? '└' : '├'}─ ${line.key}: ${targetsText(line.targets)}`,
    ),
  ]
}

export const edgesOf = ({ body }: DecisionNode): readonly Edge[] =>
  body.filter((line): line is Edge => typeof line !== 'string')

/** The targets of all edges of one kind. */
export const targetsOf = (node: DecisionNode, key: EdgeKey): readonly string[] =>
  edgesOf(node).flatMap((edge) => (edge.key === key ? edge.targets.map(({ id }) => id) : []))

const targetsText = (targets: readonly Target[]): string =>
  targets.length === 0
    ? 'None'
    : targets.map(({ id, note }) => (note === null ? id : `${id} (${oneLine(note)})`)).join(', ')

/** `├─ blocks: ADR-005 (dependency)`; undefined for a line that is not an edge, also one with an unknown key. */
const edgeOf = (source: string, line: number, file: string): Edge | undefined => {
  const match = /^\s*(?:[├└]─*|[|+`\\]-+)\s*([A-Za-z_]+)\s*:\s*(.*)$/.exec(source)
  const key = edgeKeys.find((one) => one === match?.[1]?.toLowerCase())
  return key && { key, targets: targetsIn(match![2]!.trim(), line, file), line }
}

const targetsIn = (text: string, line: number, file: string): readonly Target[] => {
  if (/^(?:none\.?|-)?$/i.test(text)) return []
  const targets: Target[] = []
  for (let rest = text; rest !== '';) {
    const match = /^(?:ADR-)?(\d{1,6})(?:\s*\(([^()]*)\))?\s*(?:,\s*|$)/i.exec(rest)
    if (!match)
      throw new FormatError(
        file,
        line,
        `${shown(rest)} names no decision; write None, or ids such as ADR-004, ADR-005 (why).`,
      )
    targets.push({ id: `ADR-${match[1]}`, note: match[2] === undefined ? null : match[2].trim() })
    rest = rest.slice(match[0].length)
  }
  return targets
}

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
