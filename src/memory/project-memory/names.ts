import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { shown } from '../session-files/values.ts'

/** The paths of project memory's parts below the repository's root (seed 001). */
export const places = {
  summary: 'context/meta/summary.md',
  timeline: 'context/meta/timeline.md',
  protocol: 'context/meta/handoff-protocol.md',
  /** The recorded facts for verification: the timeline's beginning and the hashes of accepted decisions. */
  ledger: 'context/meta/integrity.json',
  decisions: 'context/decisions/decisions-log.md',
  adrs: 'context/decisions/adr',
  agents: 'context/agents',
  sessions: '.claude/sessions',
  fileState: '.claude/sessions/file-state.json',
  archive: '.claude/sessions/archive',
  lock: '.claude/sessions/.lock',
} as const

export const goalPath = (agent: string): string => `${places.agents}/${agentName(agent)}/goal.md`
export const adrPath = (id: string): string => `${places.adrs}/${id}.md`
export const workingLogPath = (phase: string): string => `${places.sessions}/working-${phase}.jsonl`

/** The signature of a person; no agent can have this id. */
export const PERSON = 'human'

export const agentName = (agent: string): string => {
  checkId('agent', agent)
  return agent
}

/** Returns `ADR-005` for `ADR-005`, `adr-005` or `005`. */
export const adrId = (text: string): string => {
  const match = /^(?:ADR-)?(\d{1,6})$/i.exec(text.trim())
  if (!match) throw new Refusal('invalid_name', `${shown(text)} is not a decision id; write it like ADR-005.`)
  return `ADR-${match[1]}`
}

/** Returns `0.1` for `0.1` or `Phase 0.1`; it becomes part of a file's name. */
export const phaseName = (text: string): string => {
  const name = text.trim().replace(/^phase\s+/i, '')
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/.test(name) && !name.includes('..') && !name.endsWith('.')) return name
  throw new Refusal(
    'invalid_name',
    `${shown(text)} is not a phase name; use 1 to 50 letters, digits, '.', '-' or '_', such as 0.1.`,
  )
}
