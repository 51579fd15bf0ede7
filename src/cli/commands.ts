import { agentRunCommands } from './agent-run-commands.ts'
import { adrCommands } from './adr-commands.ts'
import { agentCommands } from './agent-commands.ts'
import type { Command } from './command.ts'
import { consoleCommands } from './console-commands.ts'
import { costCommands } from './cost-commands.ts'
import { databaseCommands } from './database-commands.ts'
import { dualMemoryCommands } from './dual-memory-commands.ts'
import { memoryCommands } from './memory-commands.ts'
import { memoryResolve } from './memory-resolve.ts'
import { projectMemoryCommands } from './project-memory-commands.ts'
import { workingMemoryCommands } from './working-memory-commands.ts'
import { integrationCommands } from './integration-commands.ts'
import { mcpCommands } from './mcp-command.ts'
import { metricsCommands } from './metrics-command.ts'
import { personaCommands } from './persona-commands.ts'
import { requestCommands } from './request-commands.ts'
import { sessionCommands } from './session-commands.ts'
import { statusCommands } from './status-commands.ts'
import { taskCommands } from './task-commands.ts'
import { taskWorkCommands } from './task-work-commands.ts'
import { toolingCommands } from './tooling-commands.ts'
import { usage } from './words.ts'
import { worktreeCommands } from './worktree-commands.ts'

/** Every command there is. Help, completion and the README's table are made from these rows. */
export const commands: readonly Command[] = [
  ...consoleCommands,
  ...statusCommands,
  ...taskCommands,
  ...taskWorkCommands,
  ...agentCommands,
  ...agentRunCommands,
  ...requestCommands,
  ...worktreeCommands,
  ...integrationCommands,
  ...personaCommands,
  ...sessionCommands,
  ...costCommands,
  ...memoryCommands,
  ...workingMemoryCommands,
  memoryResolve(async (subject, call) => (await import('./project-memory-index.ts')).resolveMemory(subject, call)),
  ...projectMemoryCommands,
  ...adrCommands,
  ...dualMemoryCommands,
  ...databaseCommands,
  ...mcpCommands,
  ...metricsCommands,
  ...toolingCommands,
]

/** The command table of the README. */
export const commandTableMarkdown = (): string =>
  ['| command | what it does |', '|---|---|', ...commands.map((command) => `| \`${lineOf(command).replaceAll('|', '\\|')}\` | ${command.summary.replaceAll('|', '\\|')} |`)].join(
    '\n',
  )

const lineOf = (command: Command): string => ['aiswarm', command.path, ...Object.values(command.words).map(usage)].join(' ')
