import { Refusal } from '../../domain/rules/refusal.ts'
import { decodeText } from '../session-files/decode.ts'
import { type AdrStatus, withStatus } from './format/adr-file.ts'
import { type AdrSummary, changeGraph, draftOf, findAdr, pathOf, readGraph } from './store/adrs.ts'
import { withNode } from './format/decision-graph.ts'
import { adrRecord, hashOf, withAdr } from './format/ledger.ts'
import { adrId, adrPath, PERSON } from './format/names.ts'
import { otherOwners, ownersOf, topicsOf } from './store/owners.ts'
import { alone, bytesOf, inFormOf, named, type ProjectPlace, readLedger, writeAt, writeLedger } from './store/place.ts'
import { addEvent } from './store/record.ts'

/** The allowed status changes of a decision, and the reason for refusing any other. */
const moves: Readonly<Record<AdrStatus, { readonly to: readonly AdrStatus[]; readonly why: string }>> = {
  Draft: { to: ['Draft', 'Accepted'], why: 'is a draft; have it accepted first' },
  Accepted: { to: ['Superseded'], why: 'is accepted and cannot change; propose a new decision that supersedes it' },
  Superseded: { to: [], why: 'is superseded, which is final; propose a new decision' },
}

export const refuseMove = (id: string, from: AdrStatus, to: AdrStatus): void => {
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
