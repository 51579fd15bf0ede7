import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { type FormatError, isFormatError } from '../format-error.ts'
import type { AdrFile } from './adr-file.ts'
import { adrFiles, parseAdrOf, readGraph } from './adrs.ts'
import { cycleIn, type DecisionLog, edgesOf } from './decision-graph.ts'
import { handoffProblems } from './handoff.ts'
import { adrRecord, emptyLedger, hashOf, type Ledger, prefixProblem } from './ledger.ts'
import { adrPath, places } from './names.ts'
import { otherOwners } from './owners.ts'
import { type Resolution, statusConflicts } from './resolve.ts'
import { alone, bytesOf, isThere, type ProjectPlace, readAt, readLedger, textAt } from './store.ts'
import { parsePhases } from './summary.ts'
import { momentOf, parseTimeline, type ReadEntry } from './timeline.ts'
import { archivedLogs, parseFileState, readLogs, type WorkingEvent, workingLogs } from './working-log.ts'

/** A problem or a suspicion at a line of a file. */
interface Finding {
  readonly path: string
  readonly line: number
  readonly problem: string
}

interface Verification {
  readonly findings: readonly Finding[]
  readonly warnings: readonly Finding[]
}

/** Checks all of project memory against its recorded state. Changes nothing. */
export const verifyProjectMemory = (place: ProjectPlace): Verification => {
  if (!isThere(place, 'context') && !isThere(place, places.sessions))
    throw new Refusal('not_found', "There is no project memory here; 'aiswarm memory init' creates it.")
  const seen = look(place)
  if (seen.findings.length === 0) return seen
  try {
    // A write in progress looks like damage, so findings are checked again under the lock; without a lock file no
    // process writes.
    return isThere(place, places.lock) ? alone(place, () => look(place)) : seen
  } catch (error) {
    // A read-only caller cannot take the lock.
    if (isRefusal(error)) return seen
    throw error
  }
}

const look = (place: ProjectPlace): Verification => {
  const findings: Finding[] = []
  const warnings: Finding[] = []
  const found = foundIn(findings, warnings)
  const ledger = found.readable(places.ledger, () => readLedger(place)) ?? emptyLedger
  verifySummary(place, found)
  const entries = verifyTimeline(place, ledger, found)
  verifyDecisions(place, ledger, found)
  const events = verifyLogs(place, ledger, found)
  verifyFileState(place, found)
  for (const { path, problem } of found.readable(places.agents, () => handoffProblems(place, events, entries)) ?? [])
    found.finding(path, 1, problem)
  return { findings, warnings }
}

/** `file:line: problem`, with warnings marked. */
export const verificationText = ({ findings, warnings }: Verification): string =>
  [
    ...findings.map(({ path, line, problem }) => `${path}:${line}: ${problem}`),
    ...warnings.map(({ path, line, problem }) => `warning: ${path}:${line}: ${problem}`),
    ...(findings.length + warnings.length === 0 ? ['Project memory is sound.'] : []),
  ].join('\n')

/** The collector of findings. */
interface Found {
  readonly finding: (path: string, line: number, problem: string) => void
  readonly warning: (path: string, line: number, problem: string) => void
  /** Reads a file; if that fails, adds a finding. */
  readonly readable: <T>(path: string, read: () => T) => T | undefined
}

const foundIn = (findings: Finding[], warnings: Finding[]): Found => {
  const into =
    (list: Finding[]) =>
    (path: string, line: number, problem: string): void =>
      void list.push({ path, line, problem })
  const finding = into(findings)
  return {
    finding,
    warning: into(warnings),
    readable: (path, read) => {
      try {
        return read()
      } catch (error) {
        const cause = isRefusal(error) ? error.cause : error
        if (isFormatError(cause)) {
          if (!findings.some((one) => one.path === cause.file && one.line === cause.line))
            finding(cause.file, cause.line, sayingOf(cause))
        } else if (!isRefusal(error)) throw error
        else finding(path, 1, error.message)
        return undefined
      }
    },
  }
}

/** Without the place, which a finding has separately. */
const sayingOf = ({ file, line, message }: FormatError): string => message.slice(`${file}:${line}: `.length)

const verifySummary = (place: ProjectPlace, found: Found): void => {
  const phases = found.readable(places.summary, () => readAt(place, places.summary, parsePhases) ?? null)
  if (phases === null) found.finding(places.summary, 1, "the file is missing; 'aiswarm memory init' creates it.")
  if (!isThere(place, places.protocol))
    found.warning(places.protocol, 1, "the file is missing; 'aiswarm memory init' creates it.")
  const names = new Set<string>()
  for (const { name, line } of phases ?? []) {
    if (names.has(name)) found.warning(places.summary, line, `phase ${name} is named twice.`)
    names.add(name)
  }
}

const verifyTimeline = (place: ProjectPlace, ledger: Ledger, found: Found): readonly ReadEntry[] => {
  const bytes = found.readable(places.timeline, () => bytesOf(place, places.timeline))
  const broken = prefixProblem(ledger.timeline, bytes ?? Buffer.alloc(0))
  if (broken !== undefined) found.finding(places.timeline, 1, broken)
  const timeline = parseTimeline(found.readable(places.timeline, () => textAt(place, places.timeline)) ?? '')
  for (const { line, problem } of timeline.problems) found.finding(places.timeline, line, problem)
  for (const { at, line } of timeline.entries) refuseFuture(place, places.timeline, line, at, found)
  return timeline.entries
}

const verifyLogs = (place: ProjectPlace, ledger: Ledger, found: Found): readonly WorkingEvent[] => {
  for (const [path, known] of Object.entries(ledger.logs ?? {})) {
    const broken = prefixProblem(known, found.readable(path, () => bytesOf(place, path)) ?? Buffer.alloc(0))
    if (broken !== undefined) found.finding(path, 1, broken)
  }
  const paths = found.readable(places.sessions, () => [...archivedLogs(place), ...workingLogs(place)]) ?? []
  const logs = paths.flatMap((path) => found.readable(path, () => readLogs(place, [path])) ?? [])
  return logs.flatMap(({ path, events, problems }) => {
    for (const error of problems) found.finding(path, error.line, sayingOf(error))
    for (const { event, line } of events) {
      refuseFuture(place, path, line, event.timestamp, found)
      const owners = typeof event['agent'] === 'string' ? otherOwners(place, event.type, event['agent']) : []
      if (owners.length > 0)
        found.warning(
          path,
          line,
          `${event['agent'] as string} wrote an event ${event.type}, which ${owners.join(' or ')} owns.`,
        )
    }
    return events.map(({ event }) => event)
  })
}

const verifyFileState = (place: ProjectPlace, found: Found): void => {
  const state = found.readable(places.fileState, () => readAt(place, places.fileState, parseFileState))
  const text = state && textAt(place, places.fileState)
  for (const [path, { modified_at: at }] of Object.entries(state?.files ?? {})) {
    const problem = momentOf(at) === undefined ? `modified_at of ${path} is not a time.` : futureProblem(place, at)
    if (problem !== undefined)
      found.finding(
        places.fileState,
        text!.slice(0, Math.max(0, text!.indexOf(JSON.stringify(path)))).split('\n').length,
        problem,
      )
  }
}

const refuseFuture = (place: ProjectPlace, path: string, line: number, at: string, found: Found): void => {
  const problem = futureProblem(place, at)
  if (problem !== undefined) found.finding(path, line, problem)
}

const futureProblem = ({ clock }: ProjectPlace, at: string): string | undefined =>
  momentOf(at)! > Date.parse(clock()) ? `${at} is in the future.` : undefined

/** Checks the files of decisions against their hashes and against the graph. */
const verifyDecisions = (place: ProjectPlace, ledger: Ledger, found: Found): void => {
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

/** Names every source that contradicts the valid status of a decision. */
const verifyStatuses = (place: ProjectPlace, ids: readonly string[], found: Found): void => {
  for (const id of ids) {
    for (const { against, sentence } of conflictsOf(place, id))
      found.finding(against.path, against.line, `the status of ${id} is contradictory: ${sentence}`)
  }
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
