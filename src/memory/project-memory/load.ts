import { Refusal } from '../../domain/rules/refusal.ts'
import { findAdr } from './store/adrs.ts'
import { adrId, goalPath, places } from './format/names.ts'
import { type ProjectPlace, textAt } from './store/place.ts'
import type { loadables } from './format/limits.ts'

export interface Loaded {
  readonly files: readonly { readonly path: string; readonly content: string }[]
  /** Expected files that are missing. */
  readonly missing: readonly string[]
}

/** `session-start`, `adr ID` or `handoff AGENT`. */
export const load = (place: ProjectPlace, what: (typeof loadables)[number], names: readonly string[]): Loaded => {
  const [name, ...more] = names
  if (what === 'session-start') {
    if (name !== undefined) throw new Refusal('invalid_input', 'session-start takes no name.')
    return loadSessionStart(place)
  }
  if (name === undefined || more.length > 0)
    throw new Refusal(
      'invalid_input',
      what === 'adr' ? 'adr takes one id, such as ADR-005.' : 'handoff takes one agent.',
    )
  return what === 'adr' ? loadAdr(place, name) : loadHandoff(place, name)
}

/** The files that an agent reads when its session begins: only the summary and the rules for hand-offs. */
const loadSessionStart = (place: ProjectPlace): Loaded => {
  const summary = textAt(place, places.summary)
  if (summary === undefined)
    throw new Refusal(
      'not_found',
      `${places.summary} is missing, and a session needs it; 'aiswarm memory init' creates it.`,
    )
  const protocol = textAt(place, places.protocol)
  return {
    files: [
      { path: places.summary, content: summary },
      ...(protocol === undefined ? [] : [{ path: places.protocol, content: protocol }]),
    ],
    missing: protocol === undefined ? [places.protocol] : [],
  }
}

const loadAdr = (place: ProjectPlace, given: string): Loaded => {
  const { id, file, path } = findAdr(place, adrId(given))
  if (!file) throw new Refusal('not_found', `${id} has no file ${path}.`)
  return { files: [{ path, content: file.text }], missing: [] }
}

const loadHandoff = (place: ProjectPlace, agent: string): Loaded => {
  const path = goalPath(agent)
  const content = textAt(place, path)
  if (content === undefined) throw new Refusal('not_found', `Nothing was handed over to ${agent}: there is no ${path}.`)
  return { files: [{ path, content }], missing: [] }
}
