import { Refusal } from '../../domain/rules/refusal.ts'
import { shown } from '../session-files/values.ts'
import type { AdrStatus } from './adr-file.ts'
import { statusOfAdr } from './adrs.ts'
import { changedFiles, type FileState } from './working-log.ts'
import { adrId, phaseName, places } from './names.ts'
import { type ProjectPlace, readAt } from './store.ts'
import { parsePhases } from './summary.ts'

const LONGEST_QUESTION = 500

/** The parsed question, with the answer for a person. */
export type QueryAnswer =
  | { readonly query: 'adrs'; readonly phase: string; readonly adrs: readonly string[]; readonly answer: string }
  | {
      readonly query: 'files'
      readonly session: string | null
      readonly files: FileState['files']
      readonly answer: string
    }
  | {
      readonly query: 'accepted'
      readonly adr: string
      readonly accepted: boolean | null
      readonly status: AdrStatus | null
      readonly answer: string
    }

/** Answers one of the seed's three questions, or their short forms `adrs P`, `files`, `accepted ID`. */
export const queryProjectMemory = (place: ProjectPlace, question: string): QueryAnswer => {
  if (question.length > LONGEST_QUESTION)
    throw new Refusal('invalid_input', `The question must have at most ${LONGEST_QUESTION} characters.`)
  const asked = question
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[?.!]+$/, '')
    .trim()
  const phase =
    /^(?:which|what) adrs (?:apply|belong) to (?:the )?(phase .+)$/i.exec(asked)?.[1] ?? /^adrs (.+)$/i.exec(asked)?.[1]
  if (phase !== undefined) return adrsOf(place, phaseName(phase))
  if (
    /^(?:(?:what|which) files (?:were|have been|are) (?:modified|changed)(?: in (?:the )?(?:current |this )?session)?|files)$/i.test(
      asked,
    )
  )
    return filesOf(place)
  const id = /^(?:has|is) (.+?) (?:been )?accepted$/i.exec(asked)?.[1] ?? /^accepted (.+)$/i.exec(asked)?.[1]
  if (id !== undefined) return acceptanceOf(place, adrId(id))
  throw new Refusal(
    'invalid_input',
    `Project memory cannot answer ${shown(question)}; ask 'Which ADRs apply to Phase 0.1?', 'What files were modified in current session?' or 'Has ADR-008 been accepted?'.`,
  )
}

const adrsOf = (place: ProjectPlace, phase: string): QueryAnswer => {
  const phases = readAt(place, places.summary, parsePhases)
  if (!phases) throw new Refusal('not_found', `There is no ${places.summary}; 'aiswarm memory init' creates it.`)
  const named = phases.filter(({ name }) => name === phase)
  if (named.length === 0) throw new Refusal('not_found', `${places.summary} names no phase ${phase}.`)
  const adrs = [...new Set(named.flatMap((one) => one.adrs))]
  // The seed's form of the answer: ADR-004, 005, 006.
  return {
    query: 'adrs',
    phase,
    adrs,
    answer: adrs.length === 0 ? 'None' : adrs.map((id, at) => (at === 0 ? id : id.slice(4))).join(', '),
  }
}

const filesOf = (place: ProjectPlace): QueryAnswer => {
  const { state, text } = changedFiles(place)
  return {
    query: 'files',
    session: state?.session ?? null,
    files: state?.files ?? {},
    answer: text === '' ? 'None' : text,
  }
}

/** The answer is in the graph; without a node in the decision's own file. */
const acceptanceOf = (place: ProjectPlace, id: string): QueryAnswer => {
  const status = statusOfAdr(place, id)
  const accepted = status === null ? null : status === 'Accepted'
  return {
    query: 'accepted',
    adr: id,
    accepted,
    status,
    answer: accepted === null ? 'unknown' : `${accepted ? 'Yes' : 'No'} (Status: ${status})`,
  }
}
