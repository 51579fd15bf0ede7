import { Refusal } from '../../domain/rules/refusal.ts'
import { decodeText } from '../decode.ts'
import { type AdrStatus, withStatus } from './adr-file.ts'
import { type AdrSummary, changeGraph, draftOf, findAdr, pathOf, readGraph, withSupersession } from './adrs.ts'
import { cycleIn, type EdgeKey, withEdge, withNode } from './decision-graph.ts'
import { adrRecord, hashOf, withAdr } from './ledger.ts'
import { adrId, adrPath, PERSON, places } from './names.ts'
import { otherOwners, ownersOf, topicsOf } from './owners.ts'
import { alone, bytesOf, inFormOf, named, type ProjectPlace, readLedger, writeAt, writeLedger } from './store.ts'
import { addEvent } from './working-log.ts'

// Decisions: drafts are proposed and accepted; accepted decisions are superseded and related, and never change.

/** The allowed status changes of a decision, and the reason for refusing any other. */
const moves: Readonly<Record<AdrStatus, { readonly to: readonly AdrStatus[]; readonly why: string }>> = {
  Draft: { to: ['Draft', 'Accepted'], why: 'is a draft; have it accepted first' },
  Accepted: { to: ['Superseded'], why: 'is accepted and cannot change; propose a new decision that supersedes it' },
  Superseded: { to: [], why: 'is superseded, which is final; propose a new decision' },
}

const refuseMove = (id: string, from: AdrStatus, to: AdrStatus): void => {
  if (!moves[from].to.includes(to)) throw new Refusal('invalid_state', `${id} ${moves[from].why}.`)
}

/**
 * Writes a draft, or replaces it while it is a draft. Only its author, a person, or the owner of drafts may replace it.
 */
export const proposeAdr = (
  place: ProjectPlace,
  { id: given, text }: { readonly id: string; readonly text: string },
  writer: string,
): AdrSummary => {
  const id = adrId(given)
  const content = named(() => decodeText(Buffer.from(text), `${id}.md`))
  const draft = draftOf(content, id, `${id}.md`)
  if (draft.status !== 'Draft')
    throw new Refusal('invalid_state', `${id} is proposed as ${draft.status}; a proposal must be a Draft.`)
  return alone(place, () => {
    const path = pathOf(place, id) ?? adrPath(id)
    const known = pathOf(place, id) !== undefined || readGraph(place).nodes.some((node) => node.id === id)
    if (known) refuseMove(id, findAdr(place, id).status, 'Draft')
    const ledger = readLedger(place)
    const authors = adrRecord(ledger, id)?.authors ?? []
    if (adrRecord(ledger, id)?.sha256 !== undefined) throw new Refusal('invalid_state', `${id} ${moves.Accepted.why}.`)
    refuseOtherDraft(place, id, { known, authors }, writer)
    // The author is recorded before the file is written, so that no author can accept their own decision.
    writeLedger(place, withAdr(ledger, id, { ...adrRecord(ledger, id), authors: [...new Set([...authors, writer])] }))
    writeAt(place, path, draft.statusAt === null ? named(() => withStatus(draft, 'Draft', path)) : content)
    changeGraph(place, (log) => withNode(log, id, 'Draft'))
    addEvent(place, { type: 'adr_proposed', adr: id, agent: writer })
    return { id, title: draft.title, status: 'Draft', path }
  })
}

/**
 * A draft may be changed by the owner of drafts (`memory.owners`) and its authors; one without a known author by the
 * owner only.
 */
const refuseOtherDraft = (
  place: ProjectPlace,
  id: string,
  { known, authors }: { readonly known: boolean; readonly authors: readonly string[] },
  writer: string,
): void => {
  const owners = ownersOf(place, 'draft-adrs')
  if (writer === PERSON || owners.includes(writer)) return
  if (otherOwners(place, 'draft-adrs', writer).length > 0)
    throw new Refusal(
      'not_owner',
      `Only ${owners.join(' or ')} may write drafts of decisions; you are ${writer} and own ${topicsOf(place, writer).join(', ')} (memory.owners).`,
    )
  if (!known || authors.includes(writer)) return
  const whose =
    authors.length > 0
      ? `the draft of ${authors.join(' and ')}`
      : `a draft without an author${owners.length > 0 ? `, and drafts belong to ${owners.join(' or ')}` : ''}`
  throw new Refusal('not_owner', `${id} is ${whose}, and you are ${writer}; it was not changed.`)
}

/** Accepts a draft and records the hash of its bytes. An author cannot accept their own. */
export const acceptAdr = (place: ProjectPlace, given: string, writer: string): AdrSummary => {
  const id = adrId(given)
  return alone(place, () => {
    const { file, node, path, status } = findAdr(place, id)
    if (!file) throw new Refusal('not_found', `${id} has no file ${path}, so there is nothing to accept.`)
    const ledger = readLedger(place)
    const record = adrRecord(ledger, id) ?? { authors: [] }
    const known = bytesOf(place, path)!
    const text = inFormOf(
      known,
      named(() => withStatus(file, 'Accepted', path)),
    )
    // A crash may have left the hash without the later steps, and files that other tools wrote have none.
    const finish = record.sha256 === hashOf(text) && (file.status !== 'Accepted' || node?.status !== 'Accepted')
    const adopt = record.sha256 === undefined && file.status === 'Accepted'
    if (status === 'Superseded') refuseMove(id, status, 'Accepted')
    if (!finish && !adopt) refuseMove(id, record.sha256 === undefined ? status : 'Accepted', 'Accepted')
    if (writer !== PERSON && record.authors.includes(writer))
      throw new Refusal('not_allowed', `${writer} wrote ${id} and cannot accept it; another agent or a person must.`)
    const bytes = file.status === 'Accepted' ? known : Buffer.from(text)
    writeLedger(
      place,
      withAdr(ledger, id, { ...record, acceptedBy: writer, acceptedAt: place.clock(), sha256: hashOf(bytes) }),
    )
    if (file.status !== 'Accepted') writeAt(place, path, text)
    changeGraph(place, (log) => withNode(log, id, 'Accepted'))
    addEvent(place, { type: 'adr_accepted', adr: id, agent: writer })
    return { id, title: file.title, status: 'Accepted', path }
  })
}

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

interface Link {
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
