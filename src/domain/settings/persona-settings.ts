import { personaToolsets, readingPersonas } from '../agent/personas.ts'
import { type LimitSettings, type PersonaSettings, toolsets } from './agent-settings.ts'
import type { Settings } from './settings.ts'

/** The kind of agent for a persona: by the agent's own name first, then by the persona, then the default. */
export const kindFor = (settings: Settings, personaId: string, agentId?: string): string | null => {
  const named =
    agentId === undefined
      ? undefined
      : (own(settings.agents.names, agentId) ?? own(settings.agents.names, agentId.replace(/-agent$/, '')))
  return named ?? own(settings.agents.personas, personaId)?.kind ?? settings.agents.default
}

/** The rules of `kindFor` as lists: the kinds by agents' names, by personas, and for all others. */
export interface KindRules {
  readonly names: readonly (readonly [name: string, kind: string])[]
  readonly personas: readonly (readonly [personaId: string, kind: string])[]
  readonly others: string | null
  /** True if each task without a worktree gets one of its own. */
  readonly perTask: boolean
}

export const kindRules = ({
  agents: { names, personas, default: others },
  worktrees: { perTask },
}: Pick<Settings, 'agents' | 'worktrees'>): KindRules => {
  const named = Object.entries(names)
  return {
    // An exactly matching name takes precedence over its short form.
    names: [...new Map([...named.map(([name, kind]) => [`${name}-agent`, kind] as const), ...named])],
    personas: Object.entries(personas).flatMap(([id, { kind }]) => (kind === undefined ? [] : [[id, kind] as const])),
    others,
    perTask,
  }
}

/** The settings for a persona's agents; a persona without a section asks for everything. */
export const personaSettings = (settings: Settings, personaId: string): PersonaSettings =>
  own(settings.agents.personas, personaId) ?? { args: [], approvals: 'ask', allow: [] }

/** The limits of each agent of a persona: its own ones first. */
export const limitsFor = (settings: Settings, personaId: string): LimitSettings => ({
  ...settings.limits,
  ...own(settings.agents.personas, personaId)?.limits,
})

/** True if agents of the persona may change files: all except planner and reviewer, unless configured otherwise. */
export const personaWrites = (settings: Settings, personaId: string): boolean =>
  own(settings.agents.personas, personaId)?.writes ?? !readingPersonas.includes(personaId)

/** The personas for which `personaWrites` is false, for surfaces without settings. */
export const readersOf = (settings: Settings): readonly string[] =>
  [...new Set([...readingPersonas, ...Object.keys(settings.agents.personas)])].filter(
    (id) => !personaWrites(settings, id),
  )

/**
 * The groups of MCP tools for an agent of this persona; null for a caller that is not an agent. Groups for all are
 * added to its own.
 */
export const toolsetsFor = (settings: Settings, personaId: string | null): readonly string[] => {
  const ofPersona =
    personaId === null
      ? []
      : (own(settings.agents.personas, personaId)?.toolsets ?? own(personaToolsets, personaId) ?? [])
  const wanted = new Set([...settings.mcp.toolsets, ...ofPersona])
  return toolsets.filter((name) => name !== 'all' && (wanted.has(name) || wanted.has('all')))
}

/** `constructor` is a valid name for an agent that is not configured. */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
