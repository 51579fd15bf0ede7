import { basename } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { FormatError } from '../format-error.ts'
import { type AdrFile, type AdrStatus, parseAdr } from './adr-file.ts'
import {
  type DecisionLog,
  type DecisionNode,
  parseDecisionLog,
  renderDecisionLog,
  withEdge,
  withNode,
} from './decision-graph.ts'
import { adrId, adrPath, places } from './names.ts'
import { filesIn, isThere, named, type ProjectPlace, readAt, rewriteAt } from './store.ts'

/** A decision from its file and the graph. */
interface Adr {
  readonly id: string
  /** Null if there is no file. */
  readonly file: AdrFile | null
  readonly path: string
  readonly node: DecisionNode | null
  /** The status in the graph; without a node the one in the file. */
  readonly status: AdrStatus
}

export interface AdrSummary {
  readonly id: string
  readonly title: string | null
  readonly status: AdrStatus
  readonly path: string | null
}

/** Every decision with a file or a node, in the order of their numbers. */
export const listAdrs = (place: ProjectPlace): readonly AdrSummary[] =>
  allAdrs(place).map(({ id, file, status, path }) => ({
    id,
    title: file?.title ?? null,
    status,
    path: file ? path : null,
  }))

export const showAdr = (place: ProjectPlace, given: string): AdrSummary & { readonly content: string } => {
  const { id, file, status, path } = findAdr(place, adrId(given))
  if (!file) throw new Refusal('not_found', `${id} is in ${places.decisions} but has no file of its own.`)
  return { id, title: file.title, status, path, content: file.text }
}

/** As `listAdrs`, with full details. `attempt` may skip a decision that cannot be read. */
export const allAdrs = (
  place: ProjectPlace,
  attempt: (read: () => Adr) => readonly Adr[] = (read) => [read()],
): readonly Adr[] => {
  const log = readGraph(place)
  const files = new Map([...adrFiles(place)].reverse().map(({ id, path }) => [id, path]))
  const ids = [...new Set([...files.keys(), ...log.nodes.map(({ id }) => id)])].sort(byNumber)
  const nodes = new Map(log.nodes.map((node) => [node.id, node]))
  return ids.flatMap((id) => attempt(() => adrOf(place, id, files.get(id), nodes.get(id) ?? null)))
}

/** The status in the graph, otherwise in the decision's file; null if it is in neither. */
export const statusOfAdr = (place: ProjectPlace, id: string): AdrStatus | null => {
  const node = readGraph(place).nodes.find((one) => one.id === id)
  const path = node ? undefined : pathOf(place, id)
  return node?.status ?? (path === undefined ? null : (readAt(place, path, parseAdrOf(id))?.status ?? null))
}

export const findAdr = (place: ProjectPlace, id: string): Adr => {
  const node = readGraph(place).nodes.find((one) => one.id === id) ?? null
  const path = pathOf(place, id)
  if (path === undefined && node === null)
    throw new Refusal('not_found', `There is no decision ${id}; 'aiswarm memory adr list' shows them.`)
  return adrOf(place, id, path, node)
}

/** The path of a decision's file, whose name may be longer than the id; undefined if there is none. */
export const pathOf = (place: ProjectPlace, id: string): string | undefined =>
  adrFiles(place).find((file) => file.id === id)?.path

/**
 * Files of decisions by the id in their names. Of several with one id the first counts, which is the one named by the
 * id alone.
 */
export const adrFiles = (place: ProjectPlace): readonly { readonly id: string; readonly path: string }[] =>
  filesIn(place, places.adrs)
    .flatMap((path) => {
      const match = /^(ADR-\d{1,6})(?:[-_. ].*)?\.md$/i.exec(basename(path))
      return match ? [{ id: match[1]!.toUpperCase(), path }] : []
    })
    .sort((one, other) => Number(isNamedById(other)) - Number(isNamedById(one)))

/** As `parseAdr`; refuses a file about another decision than its name says. */
export const parseAdrOf =
  (id: string) =>
  (text: string, file: string): AdrFile => {
    const adr = parseAdr(text, file)
    if (adr.id === id) return adr
    throw new FormatError(file, adr.titleLine, `the title is that of ${adr.id}; write # ${id}: and its title.`)
  }

export const readGraph = (place: ProjectPlace): DecisionLog =>
  readAt(place, places.decisions, parseDecisionLog) ?? { head: ['# Decisions Log', ''], nodes: [] }

/** Changes the graph; the caller holds the lock. */
export const changeGraph = (place: ProjectPlace, change: (log: DecisionLog) => DecisionLog): void => {
  const before = readGraph(place)
  const text = renderDecisionLog(change(before))
  if (text !== renderDecisionLog(before) || !isThere(place, places.decisions)) rewriteAt(place, places.decisions, text)
}

/** The graph in which one decision supersedes another. */
export const withSupersession = (log: DecisionLog, old: string, by: string): DecisionLog =>
  withEdge(
    withEdge(withNode(withNode(log, by, 'Accepted'), old, 'Superseded'), old, 'superseded_by', by),
    by,
    'supersedes',
    old,
  )

const adrOf = (place: ProjectPlace, id: string, path: string | undefined, node: DecisionNode | null): Adr => {
  const file = path === undefined ? null : (readAt(place, path, parseAdrOf(id)) ?? null)
  return { id, file, path: path ?? adrPath(id), node, status: node?.status ?? file?.status ?? 'Draft' }
}

const isNamedById = ({ id, path }: { readonly id: string; readonly path: string }): boolean => path === adrPath(id)

const byNumber = (a: string, b: string): number => Number(a.slice(4)) - Number(b.slice(4)) || a.localeCompare(b)

/** Parses a text that will become the file of a decision. */
export const draftOf = (text: string, id: string, file: string): AdrFile => named(() => parseAdrOf(id)(text, file))
