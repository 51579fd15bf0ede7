import { system } from '../../domain/agent/actor.ts'
import { toolsetsFor } from '../../domain/settings/persona-settings.ts'
import { getAgent } from '../../operations/agents/list.ts'
import type { Connection, Core } from '../../operations/perform/core.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { ToolRow } from './tool.ts'
import { planning, tools } from './tools.ts'

type Place = Pick<Core, 'root' | 'settings'>

/**
 * Groups of tools that a persona or the configuration switches on, so that a worker need not pay for all descriptions,
 * and a server need not load all groups at its start.
 */
export const toolsets: Readonly<Record<string, (root: string) => Promise<readonly ToolRow[]>>> = {
  'session-files': async (root) => (await import('./session-file-tools.ts')).sessionFileTools(root),
  'working-memory': async (root) => (await import('./working-memory-tools.ts')).workingMemoryTools(root, withFileLock),
  'project-memory': async (root) => (await import('./project-memory-tools.ts')).projectMemoryTools(root, withFileLock),
  'dual-memory': async () => (await import('./dual-memory-tools.ts')).dualMemoryTools(process.env),
}

/** The persona of a client: an agent's own, the planner for a client that may plan, null for any other. */
export const personaOf = async ({ core, actor }: Pick<Connection, 'core' | 'actor'>): Promise<string | null> => {
  if (actor.kind === 'agent') return (await perform(core, getAgent, { agentId: actor.id }, system())).personaId
  return actor.kind === 'client' && actor.role === 'planner' ? 'planner' : null
}

/** True if the client plans: it gets the tools for planners. */
export const plansWork = ({ actor }: Pick<Connection, 'actor'>): boolean => 'role' in actor && actor.role === 'planner'

/** The tools of one server: those for coordination, and the groups that are on for this persona. */
export const toolsFor = async (
  { root, settings }: Place,
  personaId: string | null,
  plans: boolean,
): Promise<readonly ToolRow[]> => {
  const wanted = toolsetsFor(settings, personaId)
  const groups = await Promise.all(
    Object.entries(toolsets).map(async ([name, rows]) => (wanted.includes(name) ? rows(root) : [])),
  )
  return [...tools, ...(plans ? planning : []), ...groups.flat()]
}
