import { delimiter } from 'node:path'
import type { AgentKind } from '../agents/kind.ts'
import { COMMAND_KIND } from '../domain/schedule.ts'
import { isSecretName } from '../domain/secrets.ts'
import { memoryUser } from '../memory/dual-memory/user.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { binFolder } from './places.ts'
import type { World } from './world.ts'

/** Names that would make a child's git work on another repository (as in a hook), or that are ours alone. */
const withheld =
  /^(GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|CEILING_DIRECTORIES)|AISWARM_.*|NODE_CHANNEL_.*|INIT_CWD|npm_.*)$/

/** Our own environment as far as it concerns what we start. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined || withheld.test(name) ? [] : [[name, value]])))

/** What every program needs to find its way about: programs, home, language, time, network, temporary files. */
const common = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'TERM', 'COLORTERM', 'NO_COLOR', 'XDG_*'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'SSH_AUTH_SOCK', 'GIT_AUTHOR_*', 'GIT_COMMITTER_*', 'GIT_CONFIG_*', 'GIT_SSH*'],
]

/** Who a run is, to whatever it starts: the command line and the MCP server take their identity from these. */
export const identityOfRun = ({ core }: World, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  ...markers(core.root, run),
  AISWARM_AGENT_TOKEN: core.launchToken(run.agentId, run.run),
  // What an agent remembers, and what is remembered of it, belongs to the person for whom it works.
  MEMORY_USER_ID: memoryUser(process.env),
})

/**
 * What code of a branch gets of the person's environment: verification, setup and teardown run what an agent wrote. As
 * much as an agent has, and what `integration.pass` names. Hooks and notify commands are the person's, and keep all of it.
 */
export const branchEnvironment = ({ settings }: Pick<World['core'], 'settings'>): Record<string, string> =>
  only(ownEnvironment(), [...common, ...settings.agents.pass, ...settings.integration.pass])

/** Values of our own environment that must not be shown, whoever prints them. */
export const ownSecrets = (): readonly string[] => Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []))

/** The environment of a run: what its kind may have of the person's own, what the kind adds, and who the agent is. */
export const agentEnvironment = (world: World, run: AgentRun, passes: AgentKind['passes'], ofKind: Readonly<Record<string, string>>): Record<string, string> => {
  const { core } = world
  const ofBranch = run.kind === COMMAND_KIND ? core.settings.integration.pass : []
  const own = passes === 'all' ? ownEnvironment() : only(ownEnvironment(), [...common, ...passes, ...core.settings.agents.pass, ...ofBranch])
  return {
    ...own,
    ...ofKind,
    ...run.environment,
    PATH: [binFolder(core.root), process.env['PATH'] ?? ''].join(delimiter),
    ...identityOfRun(world, run),
    AISWARM_TASK_ID: String(run.taskId ?? ''),
    AISWARM_WORKTREE: run.worktree ?? '',
  }
}

/** The variables with these names; `*` at the end of a name stands for anything. */
const only = (environment: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => names.some((wanted) => (wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted))))

/** By these a process is known as this agent's, even after it left its group. */
export const markers = (root: string, run: Pick<AgentRun, 'agentId' | 'run'>): Record<string, string> => ({
  AISWARM_AGENT_ID: run.agentId,
  AISWARM_RUN: String(run.run),
  AISWARM_ROOT: root,
})
