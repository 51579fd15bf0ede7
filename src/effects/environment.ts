import { delimiter } from 'node:path'
import type { AgentRun } from '../operations/read-wishes.ts'
import { binFolder } from './places.ts'
import type { World } from './world.ts'

/** Names that would make a child's git work on another repository (as in a hook), or that are ours alone. */
const withheld =
  /^(GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|CEILING_DIRECTORIES)|AISWARM_.*|NODE_CHANNEL_.*|INIT_CWD|npm_.*)$/

/** Our own environment as far as it concerns what we start. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined || withheld.test(name) ? [] : [[name, value]])))

/** The environment of a run: the person's own, what the kind adds, and who the agent is. */
export const agentEnvironment = ({ core }: World, run: AgentRun, ofKind: Readonly<Record<string, string>>): Record<string, string> => {
  return {
    ...ownEnvironment(),
    ...ofKind,
    ...run.environment,
    PATH: [binFolder(core.root), process.env['PATH'] ?? ''].join(delimiter),
    ...markers(core.root, run),
    AISWARM_AGENT_TOKEN: core.launchToken(run.agentId, run.run),
    AISWARM_TASK_ID: String(run.taskId ?? ''),
    AISWARM_WORKTREE: run.worktree ?? '',
  }
}

/** By these a process is known as this agent's, even after it left its group. */
export const markers = (root: string, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  AISWARM_AGENT_ID: run.agentId,
  AISWARM_RUN: String(run.run),
  AISWARM_ROOT: root,
})
