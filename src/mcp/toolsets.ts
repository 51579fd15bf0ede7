import type { Core } from '../operations/kernel/core.ts'
import { withFileLock } from '../operations/kernel/file-lock.ts'
import { dualMemoryTools } from './dual-memory-tools.ts'
import { projectMemoryTools } from './project-memory-tools.ts'
import { sessionFileTools } from './session-file-tools.ts'
import type { ToolRow } from './tool.ts'
import { tools } from './tools.ts'
import { workingMemoryTools } from './working-memory-tools.ts'

/** Groups of tools that a configuration switches on (`mcp.toolsets`): a worker need not pay for the descriptions of all of them. */
export const toolsets: Readonly<Record<string, (root: string) => readonly ToolRow[]>> = {
  'session-files': sessionFileTools,
  'working-memory': (root) => workingMemoryTools(root, withFileLock),
  'project-memory': (root) => projectMemoryTools(root, withFileLock),
  'dual-memory': () => dualMemoryTools(process.env),
}

/** The tools of one server: those that coordinate, and the groups that are switched on. */
export const toolsFor = ({ root, settings }: Pick<Core, 'root' | 'settings'>): readonly ToolRow[] => {
  const wanted = settings.mcp.toolsets
  return [...tools, ...Object.entries(toolsets).flatMap(([name, rows]) => (wanted.includes(name) || wanted.includes('all') ? rows(root) : []))]
}
