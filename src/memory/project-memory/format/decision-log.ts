import { FormatError } from '../../session-files/format-error.ts'
import { oneLine, shown } from '../../session-files/values.ts'
import { type AdrStatus, statusOf } from './adr-file.ts'

/** The relations between two decisions. */
export const edgeKeys = ['supersedes', 'superseded_by', 'blocks', 'depends_on', 'extends'] as const
export type EdgeKey = (typeof edgeKeys)[number]

export interface Target {
  readonly id: string
  /** The text in parentheses; null if there is none. */
  readonly note: string | null
}

/** A line `├─ key: …` below a decision; without targets it reads `None`. */
export interface Edge {
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
