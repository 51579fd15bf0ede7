import { delimiter } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { COMMAND_KIND } from '../../domain/task/startable.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { isHome } from '../../operations/perform/core.ts'
import { ALONE, WORKER } from '../agents-socket/entry.ts'
import { goesThroughWorker } from '../agents-socket/server.ts'
import { binFolder, runFolder } from '../files/paths.ts'
import { common, only, ownEnvironment } from '../processes/environment.ts'
import type { World } from '../world.ts'

/** The identity of a run for its processes: the command line and the MCP server read it from these variables. */
export const identityOfRun = ({ core }: World, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  ...markers(core.root, run),
  // On a board on a server, the process that serves this host carries out what its agents ask for.
  ...(goesThroughWorker(core) ? { [WORKER]: runFolder(core.root), ...(isHome(core) ? { [ALONE]: '1' } : {}) } : {}),
  // Without it an agent's calls would reach another board; it has no password.
  ...(process.env['AISWARM_STORE'] ? { AISWARM_STORE: process.env['AISWARM_STORE'] } : {}),
  AISWARM_AGENT_TOKEN: core.launchToken(run.agentId, run.run),
  // Memories that an agent writes or reads belong to the person for whom it works.
  MEMORY_USER_ID: memoryUser(process.env),
})

/**
 * The environment of a run: the person's variables that its kind may have, the variables that the kind adds, and the
 * agent's identity.
 */
export const agentEnvironment = (
  world: World,
  run: AgentRun,
  passes: AgentKind['passes'],
  ofKind: Readonly<Record<string, string>>,
): Record<string, string> => {
  const { core } = world
  const ofBranch = run.kind === COMMAND_KIND ? core.settings.integration.pass : []
  return {
    ...only(ownEnvironment(), [...common, ...passes, ...core.settings.agents.pass, ...ofBranch]),
    ...ofKind,
    ...run.environment,
    PATH: [binFolder(core.root), process.env['PATH'] ?? ''].join(delimiter),
    ...identityOfRun(world, run),
    AISWARM_TASK_ID: String(run.taskId ?? ''),
    AISWARM_WORKTREE: run.worktree ?? '',
  }
}

/** Markers in the environment that identify this agent's processes, even after they left its group. */
export const markers = (root: string, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  AISWARM_AGENT_ID: run.agentId,
  AISWARM_RUN: String(run.run),
  AISWARM_ROOT: root,
})
