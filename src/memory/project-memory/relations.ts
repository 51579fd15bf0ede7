import { Refusal } from '../../domain/rules/refusal.ts'
import { type AdrSummary, changeGraph, findAdr, readGraph, withSupersession } from './store/adrs.ts'
import { cycleIn, withEdge, withNode } from './format/decision-graph.ts'
import type { EdgeKey } from './format/decision-log.ts'
import { adrId, places } from './format/names.ts'
import { alone, type ProjectPlace } from './store/place.ts'
import { addEvent } from './store/record.ts'
import { refuseMove } from './decide.ts'

/** Supersedes a decision by another. Changes only the graph, never the files. */
export const supersedeAdr = (
  place: ProjectPlace,
  { old: givenOld, by: givenBy }: { readonly old: string; readonly by: string },
  writer: string,
): AdrSummary => {
  const [old, by] = [adrId(givenOld), adrId(givenBy)]
  if (old === by) throw new Refusal('invalid_input', `${old} cannot supersede itself.`)
  return alone(place, () => {
    const before = findAdr(place, old)
    const after = findAdr(place, by)
    refuseMove(old, before.status, 'Superseded')
    if (after.status !== 'Accepted')
      throw new Refusal(
        'invalid_state',
        `${by} is ${after.status}, and only an accepted decision supersedes another; have it accepted first.`,
      )
    changeGraph(place, (log) => withSupersession(log, old, by))
    addEvent(place, { type: 'adr_superseded', adr: old, by, agent: writer })
    return { id: old, title: before.file?.title ?? null, status: 'Superseded', path: before.file ? before.path : null }
  })
}

export interface Link {
  readonly from: string
  readonly key: EdgeKey
  readonly to: string
}

/** Adds a relation between two decisions. Refuses a cycle of dependencies. */
export const linkAdrs = (place: ProjectPlace, { from: givenFrom, key, to: givenTo }: Link, writer: string): Link => {
  const [from, to] = [adrId(givenFrom), adrId(givenTo)]
  return alone(place, () => {
    const { status } = findAdr(place, from)
    const log = readGraph(place)
    const known = cycleIn(log)
    if (known)
      throw new Refusal(
        'dependency_cycle',
        `Decisions already depend on each other in a cycle: ${known.join(' → ')} in ${places.decisions}; remove one of its edges first.`,
      )
    const linked = withEdge(
      log.nodes.some((node) => node.id === from) ? log : withNode(log, from, status),
      from,
      key,
      to,
    )
    const cycle = cycleIn(linked)
    if (cycle)
      throw new Refusal(
        'dependency_cycle',
        `${from} ${key} ${to} would create a cycle: ${cycle.join(' → ')} in ${places.decisions}.`,
      )
    changeGraph(place, () => linked)
    addEvent(place, { type: 'adr_linked', adr: from, relation: key, to, agent: writer })
    return { from, key, to }
  })
}
