import type { Core } from '../operations/kernel/core.ts'
import { withFileLock } from '../operations/kernel/file-lock.ts'
import type { ToolRow } from './tool.ts'
import { tools } from './tools.ts'

type Place = Pick<Core, 'root' | 'settings'>

/**
 * Groups of tools that a configuration switches on (`mcp.toolsets`): a worker need not pay for the descriptions of all of
 * them, nor a server that is started for loading them.
 */
export const toolsets: Readonly<Record<string, (root: string) => Promise<readonly ToolRow[]>>> = {
  'session-files': async (root) => (await import('./session-file-tools.ts')).sessionFileTools(root),
  'working-memory': async (root) => (await import('./working-memory-tools.ts')).workingMemoryTools(root, withFileLock),
  'project-memory': async (root) => (await import('./project-memory-tools.ts')).projectMemoryTools(root, withFileLock),
  'dual-memory': async () => (await import('./dual-memory-tools.ts')).dualMemoryTools(process.env),
}

/** The tools of one server: those that coordinate, and the groups that are switched on. */
export const toolsFor = async ({ root, settings }: Place): Promise<readonly ToolRow[]> => {
  const wanted = settings.mcp.toolsets
  const groups = await Promise.all(Object.entries(toolsets).map(async ([name, rows]) => (wanted.some((one) => one === name || one === 'all') ? rows(root) : [])))
  return [...tools, ...groups.flat()]
}
