import { isRefusal } from '../../domain/rules/refusal.ts'
import { isFormatError } from '../session-files/format-error.ts'
import type { AdrFile } from './format/adr-file.ts'
import { adrFiles, parseAdrOf, readGraph } from './store/adrs.ts'
import { cycleIn } from './format/decision-graph.ts'
import { type DecisionLog, edgesOf } from './format/decision-log.ts'
import { adrRecord, hashOf, type Ledger } from './format/ledger.ts'
import { adrPath, places } from './format/names.ts'
import { bytesOf, type ProjectPlace, readAt } from './store/place.ts'
import { type Resolution, statusConflicts } from './resolve.ts'

/** The collector of findings. */
export interface Found {
  readonly finding: (path: string, line: number, problem: string) => void
  readonly warning: (path: string, line: number, problem: string) => void
  /** Reads a file; if that fails, adds a finding. */
  readonly readable: <T>(path: string, read: () => T) => T | undefined
}

/** Checks the files of decisions against their hashes and against the graph. */
export const verifyDecisions = (place: ProjectPlace, ledger: Ledger, found: Found): void => {
  const log = found.readable(places.decisions, () => readGraph(place)) ?? { head: [], nodes: [] }
  const files = found.readable(places.adrs, () => adrFiles(place)) ?? []
  const paths = new Map<string, string>()
  for (const { id, path } of files) {
    if (paths.has(id)) found.finding(path, 1, `${id} has another file, ${paths.get(id)}; keep one.`)
    else paths.set(id, path)
  }
  for (const [id, path] of paths) verifyFile(place, id, path, { ledger, log }, found)
  for (const id of Object.keys(ledger.adrs)) {
    if (!paths.has(id))
      found.finding(
        adrPath(id),
        1,
        `${id} was ${adrRecord(ledger, id)?.sha256 === undefined ? 'proposed' : 'accepted'}, but its file is missing.`,
      )
  }
  verifyGraph(log, paths, found)
  verifyStatuses(place, [...new Set([...paths.keys(), ...log.nodes.map(({ id }) => id)])], found)
}

/** Empty if a source cannot be read, which is a finding of its own. */
const conflictsOf = (place: ProjectPlace, id: string): Resolution['conflicts'] => {
  try {
    return statusConflicts(place, id)?.conflicts ?? []
  } catch (error) {
    if (isRefusal(error) || isFormatError(error)) return []
    throw error
  }
}

/** Names every source that contradicts the valid status of a decision. */
const verifyStatuses = (place: ProjectPlace, ids: readonly string[], found: Found): void => {
  for (const id of ids) {
    for (const { against, sentence } of conflictsOf(place, id))
      found.finding(against.path, against.line, `the status of ${id} is contradictory: ${sentence}`)
  }
}

const verifyFile = (
  place: ProjectPlace,
  id: string,
  path: string,
  { ledger, log }: { readonly ledger: Ledger; readonly log: DecisionLog },
  found: Found,
): void => {
  const adr = found.readable(path, () => readAt(place, path, parseAdrOf(id)))
  const record = adrRecord(ledger, id)
  const changed =
    record?.sha256 !== undefined && hashOf(found.readable(path, () => bytesOf(place, path)) ?? '') !== record.sha256
  if (changed)
    found.finding(
      path,
      lineOf(adr),
      `${id} was changed after it was accepted, but an accepted decision cannot change; restore what ${record.acceptedBy ?? 'a person'} accepted.`,
    )
  if (!adr) return
  if (record?.sha256 === undefined && adr.status === 'Accepted') {
    if (record)
      found.finding(
        path,
        lineOf(adr),
        `${id} was accepted by hand; set it back to Draft, and let someone other than its author accept it.`,
      )
    else
      found.warning(
        path,
        lineOf(adr),
        `no hash of ${id} was recorded when it was accepted; 'aiswarm memory adr accept ${id}' records one.`,
      )
  }
  const node = log.nodes.find((one) => one.id === id)
  if (!node) return found.warning(path, lineOf(adr), `${id} has no node in ${places.decisions}.`)
  const agrees = node.status === adr.status || (node.status === 'Superseded' && adr.status === 'Accepted')
  if (!agrees && !changed)
    found.finding(
      places.decisions,
      node.line,
      `${id} is ${node.status} here and ${adr.status} in ${path}:${lineOf(adr)}.`,
    )
}

const verifyGraph = (log: DecisionLog, paths: ReadonlyMap<string, string>, found: Found): void => {
  const nodes = new Set(log.nodes.map(({ id }) => id))
  for (const node of log.nodes) {
    if (!paths.has(node.id)) found.warning(places.decisions, node.line, `${node.id} has no file in ${places.adrs}.`)
    for (const { key, targets, line } of edgesOf(node)) {
      for (const { id } of targets)
        if (!nodes.has(id) && !paths.has(id))
          found.warning(places.decisions, line, `${node.id} ${key} ${id}, which does not exist.`)
    }
  }
  const cycle = cycleIn(log)
  if (cycle)
    found.finding(
      places.decisions,
      log.nodes.find(({ id }) => id === cycle[0])?.line ?? 1,
      `decisions depend on each other in a cycle: ${cycle.join(' → ')}.`,
    )
}

const lineOf = (adr: AdrFile | undefined): number => adr?.statusAt?.line ?? 1
