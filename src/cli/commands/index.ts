import { agentCommands, agentRunCommands } from './agent.ts'
import { adrCommands } from './adr.ts'
import type { Command } from '../call/command.ts'
import { consoleCommands } from './console.ts'
import { costCommands } from './cost.ts'
import { databaseCommands } from './database.ts'
import { fleetCommands } from './fleet.ts'
import { hostCommands } from './host.ts'
import { dualMemoryCommands } from './dual-memory.ts'
import { mailCommands } from './mail.ts'
import { memoryCommands } from './memory.ts'
import { memoryResolve, workingMemoryCommands } from './working-memory.ts'
import { projectMemoryCommands } from './project-memory.ts'
import { integrationCommands, worktreeCommands } from './worktree.ts'
import { mcpCommands } from './mcp.ts'
import { metricsCommands } from './metrics.ts'
import { personaCommands } from './persona.ts'
import { requestCommands } from './request.ts'
import { sessionCommands } from './session.ts'
import { statusCommands } from './status.ts'
import { targetCommands } from './target.ts'
import { taskCommands, taskEditCommands, taskRaceCommands } from './task.ts'
import { taskWorkCommands } from './task-work.ts'
import { toolingCommands } from './tooling.ts'

/** Every command there is. Help, completion, docs/commands.md and the man page are made from these rows. */
export const commands: readonly Command[] = [
  ...consoleCommands,
  ...statusCommands,
  ...taskCommands,
  ...taskEditCommands,
  ...taskRaceCommands,
  ...taskWorkCommands,
  ...agentCommands,
  ...agentRunCommands,
  ...requestCommands,
  ...mailCommands,
  ...worktreeCommands,
  ...integrationCommands,
  ...targetCommands,
  ...personaCommands,
  ...sessionCommands,
  ...costCommands,
  ...memoryCommands,
  ...workingMemoryCommands,
  memoryResolve(async (subject, call) =>
    (await import('../verbs/project-memory-index.ts')).resolveMemory(subject, call),
  ),
  ...projectMemoryCommands,
  ...adrCommands,
  ...dualMemoryCommands,
  ...databaseCommands,
  ...fleetCommands,
  ...hostCommands,
  ...mcpCommands,
  ...metricsCommands,
  ...toolingCommands,
]
