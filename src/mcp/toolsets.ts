import { system } from '../domain/actor.ts'
import { toolsetsFor } from '../domain/settings.ts'
import { getAgent } from '../operations/get-agent.ts'
import type { Core } from '../operations/kernel/core.ts'
import { withFileLock } from '../operations/kernel/file-lock.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { ToolRow } from './tool.ts'
import { tools } from './tools.ts'

type Place = Pick<Core, 'root' | 'settings'>

/**
 * Groups of tools that a persona or the configuration switches on: a worker need not pay for the descriptions of all of
 * them, nor a server that is started for loading them.
 */
export const toolsets: Readonly<Record<string, (root: string) => Promise<readonly ToolRow[]>>> = {
  'session-files': async (root) => (await import('./session-file-tools.ts')).sessionFileTools(root),
  'working-memory': async (root) => (await import('./working-memory-tools.ts')).workingMemoryTools(root, withFileLock),
  'project-memory': async (root) => (await import('./project-memory-tools.ts')).projectMemoryTools(root, withFileLock),
  'dual-memory': async () => (await import('./dual-memory-tools.ts')).dualMemoryTools(process.env),
}

/** As whom a client works: an agent's own persona, the planner for whoever was let plan, null for anyone else. */
export const personaOf = async ({ core, actor }: Pick<Connection, 'core' | 'actor'>): Promise<string | null> => {
  if (actor.kind === 'agent') return (await perform(core, getAgent, { agentId: actor.id }, system())).personaId
  return actor.kind === 'client' && actor.role === 'planner' ? 'planner' : null
}

/** The tools of one server: those that coordinate, and the groups that are switched on for this persona. */
export const toolsFor = async ({ root, settings }: Place, personaId: string | null): Promise<readonly ToolRow[]> => {
  const wanted = toolsetsFor(settings, personaId)
  const groups = await Promise.all(Object.entries(toolsets).map(async ([name, rows]) => (wanted.includes(name) ? rows(root) : [])))
  return [...tools, ...groups.flat()]
}
