import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentKind, Brief, SessionFiles } from '../../agents/kind/kind.ts'
import type { OtherServers } from '../../agents/kind/other-servers.ts'
import { CONFIGURATION } from '../../domain/integration/trusted-configuration.ts'
import { spoken } from '../../domain/agent/messages.ts'
import { sessionToFork, sessionToResume } from '../../domain/agent/conversation.ts'
import type { PersonaSettings } from '../../domain/settings/agent-settings.ts'
import { kindFor, personaSettings, personaWrites } from '../../domain/settings/persona-settings.ts'
import { getPersona } from '../../operations/agents/personas.ts'
import { readRemote } from '../../operations/hosts/remote.ts'
import { readForAttempt } from '../../operations/messages/messages.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { readGuard } from '../../operations/integration/configuration.ts'
import { readFork, readTaskRuns } from '../../operations/runs/reports.ts'
import { identityOfRun } from './identity.ts'
import { git } from '../git/git.ts'
import { binFolder, runPath, scratchPath } from '../files/paths.ts'
import { DOORWAY } from '../sandbox/entry.ts'
import { runCanBeConfined } from '../sandbox/run.ts'
import type { World } from '../world.ts'

/** The name of our MCP server for agents, without an underscore, which Gemini does not allow. */
const SERVER = 'aiswarm'

/** Everything that a kind needs to start a run in `folder`. */
export const briefFor = async (
  world: World,
  run: AgentRun,
  kind: AgentKind,
  folder: string,
): Promise<Brief & { readonly messageIds: readonly number[] }> => {
  const { core, actor, self } = world
  const task = await perform(core, getTask, { taskId: run.taskId! }, actor)
  const persona = await perform(core, getPersona, { personaId: run.personaId }, actor)
  const runs = kind.resumes ? await perform(core, readTaskRuns, { taskId: task.id }, actor) : []
  const fork = kind.forks === true ? await perform(core, readFork, { taskId: task.id }, actor) : null
  const copied = sessionToFork(runs, fork, run.kind, task.retryCount)
  const messages = await perform(core, readForAttempt, { taskId: task.id }, actor)
  const settings = personaSettings(core.settings, run.personaId)
  const [command, ...args] = self
  return {
    agentId: run.agentId,
    run: run.run,
    persona: { id: persona.id, definition: persona.definition },
    folder,
    ...{ worktree: run.worktree, commitsOften: run.worktree !== null && (await losesUncommitted(world)) },
    task: {
      id: task.id,
      title: task.title,
      description: task.description,
      command: task.command,
      acceptanceCriteria: task.acceptanceCriteria.map((criterion) => criterion.text),
      contextRef: task.contextRef,
      attempt: task.attempt,
      retryCount: task.retryCount,
      lastError: task.attempts.findLast((attempt) => attempt.outcome !== null && attempt.error !== null)?.error ?? null,
    },
    promptFile: runPath(core.root, run.agentId, run.run, 'prompt'),
    scratch: scratchPath(core.root, run),
    servers: serversFor(kind, settings, core.root),
    program: join(binFolder(core.root), 'aiswarm'),
    server: {
      name: SERVER,
      command: command!,
      args: [...args, 'mcp', '--root', core.root],
      environment: { ...identityOfRun(world, run), ...(await doorwayOf(world, run)) },
    },
    worktreeGitFolder: run.worktree === null ? null : (await git(folder, ['rev-parse', '--absolute-git-dir'])).trim(),
    gitFolder: resolve(core.root, (await git(core.root, ['rev-parse', '--git-common-dir'])).trim()),
    model:
      modelOf(task.metadata) ?? (kindFor(core.settings, run.personaId) === run.kind ? (settings.model ?? null) : null),
    args: kindFor(core.settings, run.personaId) === run.kind ? settings.args : [],
    approvals: settings.approvals,
    allow: core.allowRules(run.personaId, (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]),
    readOnly: !personaWrites(core.settings, persona.id) || (persona.role === 'planner' && run.worktree === null),
    memory: (await import('../memories/short-term.ts')).shortTermFor(world, run.agentId),
    files: kind.files || task.wantedAgentId !== null ? filesFor(world, run, folder) : null,
    reportsByFiles: kind.files ?? false,
    messages: messages.map(spoken),
    messageIds: messages.map(({ id }) => id),
    resume: sessionToResume(runs, run.kind, task.retryCount),
    fork: copied === null ? null : { session: copied, of: fork!.agentId },
    ...(await rightsOf(world, run)),
  }
}

/** Where hosts exchange code without snapshots, only commits reach the git remote. */
const losesUncommitted = async ({ core, actor }: World): Promise<boolean> => {
  if (core.host === undefined) return false
  const { used, snapshots } = await perform(core, readRemote, {}, actor)
  return used !== null && !snapshots
}

const rightsOf = async (world: World, run: AgentRun): Promise<Pick<Brief, 'asRoot' | 'ownSandbox'>> => {
  const asRoot = process.getuid?.() === 0
  return { asRoot, ownSandbox: !asRoot || !('bubblewrap' in (await runCanBeConfined(world, run))) }
}

/** Inside a sandbox the server is a pipe to one outside; some CLIs pass it nothing but these variables. */
const doorwayOf = async (world: World, run: AgentRun): Promise<Readonly<Record<string, string>>> =>
  'off' in (await runCanBeConfined(world, run))
    ? {}
    : { [DOORWAY]: runPath(world.core.root, run.agentId, run.run, 'door') }

/** The person's own servers for the CLI, read from its home now; a file that cannot be read has none. */
const serversFor = ({ ownServers }: AgentKind, { mcp }: PersonaSettings, root: string): OtherServers => {
  const path = ownServers?.path(process.env)
  const text = path === undefined || !existsSync(path) ? '' : readFileSync(path, 'utf8')
  return {
    own: ownServers?.read(text, root) ?? {},
    keepsOwn: mcp !== 'only-aiswarm',
    given: typeof mcp === 'object' ? mcp.servers : {},
  }
}

/** In a worktree the agent's own files are there too, because it may write there. */
const filesFor = ({ core, memory }: World, run: AgentRun, folder: string): SessionFiles => {
  const own = join(run.worktree === null ? core.root : folder, memory.basePath)
  return {
    board: join(core.root, memory.basePath, 'task-board.md'),
    progress: join(own, `progress-${run.agentId}.md`),
    result: join(own, `result-${run.agentId}.md`),
  }
}

/** The model that a task's metadata requests (`{"cli": "claude", "model": "…"}`). */
const modelOf = (metadata: unknown): string | null =>
  typeof metadata === 'object' &&
  metadata !== null &&
  'model' in metadata &&
  typeof metadata.model === 'string' &&
  metadata.model !== ''
    ? metadata.model
    : null
