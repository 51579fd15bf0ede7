import { Refusal } from '../../domain/rules/refusal.ts'
import { isSecretName, maskEnvironment, maskSecrets } from '../../domain/words/secrets.ts'
import { kindOf } from '../../domain/task/startable.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getPersona } from '../../operations/agents/personas.ts'
import { listTasks } from '../../operations/tasks/list.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import type { Mount } from '../../domain/sandbox/policy.ts'
import { which } from '../processes/programs.ts'
import { limitsWords } from '../sandbox/limits.ts'
import { confinementOfRun, hiddenServersOf } from '../sandbox/run.ts'
import { type NetworkInside, networkOfAgent } from '../sandbox/network.ts'
import { type Prepared, prepare, workingFolder } from './launcher.ts'
import type { World } from '../world.ts'

interface DryRun {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Its standard input; null for none. */
  readonly stdin: string | null
  readonly files: readonly { readonly path: string; readonly content: string }[]
  readonly environment: Readonly<Record<string, string>>
  /** The actions that its kind takes without asking, as a sentence; null if it asks for all of them. */
  readonly unasked: string | null
  /** The limits of its processes together, and what holds them to these; null without a limit. */
  readonly limits: string | null
  /** The files that it sees, in the order in which later ones take precedence; or why it is not confined. */
  readonly sandbox:
    | { readonly files: readonly Mount[]; readonly network: string; readonly notes: readonly string[] }
    | { readonly off: string }
}

/**
 * The command that `agent spawn` would start, without starting it. Shows only the variables that aiswarm adds to the
 * environment, with secrets masked.
 */
export const dryRun = async (
  world: World,
  request: { personaId: string; kind: string | null; worktree: string | null; taskId: number | null },
): Promise<DryRun> => {
  const { core, actor } = world
  await perform(core, getPersona, { personaId: request.personaId }, actor)
  const id =
    request.taskId ?? (await perform(core, listTasks, { available: true, personaId: request.personaId }, actor))[0]?.id
  if (id === undefined)
    throw new Refusal(
      'not_found',
      `There is no task that an agent of persona ${request.personaId} could start now; name one with --task.`,
    )
  const task = await perform(core, getTask, { taskId: id }, actor)
  const kind =
    request.kind ??
    kindOf(
      { command: task.command, personaId: request.personaId, kind: null, agentId: task.wantedAgentId },
      core.settings,
    )
  if (kind === null)
    throw new Refusal(
      'missing_binary',
      `No agent kind is configured for persona ${request.personaId}; set agents.default in .aiswarm/config.yaml or name a kind.`,
    )
  const worktree = request.worktree ?? task.targetWorktree
  const run = dryRunOf(request.personaId, kind, worktree, task)
  const folder = task.folder ?? (await workingFolder(world, worktree))
  if (folder === undefined)
    throw new Refusal('invalid_state', `Worktree ${worktree} is not ready yet; try again in a moment.`)
  const { argv, cwd, stdin, files, environment, home } = await prepare(world, run, folder)
  const secrets = Object.entries(environment).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
  const added = Object.entries(environment).filter(([name, value]) => process.env[name] !== value)
  return {
    argv: argv.map((word) => maskSecrets(word, secrets)),
    cwd,
    stdin: stdin === null ? null : maskSecrets(stdin, secrets),
    files: files.map(({ path, content }) => ({ path, content: maskSecrets(content, secrets) })),
    environment: maskEnvironment(Object.fromEntries(added)),
    unasked: core.unasked?.(kind) ?? null,
    limits: await limitsWords(world, run),
    sandbox: await sandboxOf(world, run, { argv, cwd, files, environment, ...(home === undefined ? {} : { home }) }),
  }
}

const sandboxOf = async (
  world: World,
  run: AgentRun,
  { argv, ...rest }: Pick<Prepared, 'argv' | 'cwd' | 'files' | 'environment' | 'home'>,
): Promise<DryRun['sandbox']> => {
  const program = which(argv[0] ?? '', rest.cwd, rest.environment['PATH'] ?? '') ?? argv[0] ?? ''
  const confined = await confinementOfRun(world, run, { ...rest, program })
  return 'off' in confined
    ? { off: confined.off }
    : {
        files: confined.mounts,
        network: reachOf(networkOfAgent(world, run)),
        notes: hiddenServersOf(world, run, rest, confined.mounts),
      }
}

const reachOf = ({ network, hosts }: NetworkInside): string =>
  network === 'open'
    ? 'open: that of this machine'
    : network === 'none'
      ? 'none'
      : `these hosts only: ${hosts.length === 0 ? 'none' : [...new Set(hosts)].join(', ')}`

/** A run like the one that would be started. */
const dryRunOf = (
  personaId: string,
  kind: string,
  worktree: string | null,
  task: { readonly id: number; readonly folder: string | null },
): AgentRun => ({
  agentId: `${personaId}-dry-run`,
  personaId,
  kind,
  run: 1,
  process: 'wanted' as const,
  taskId: task.id,
  worktree,
  folder: task.folder,
  identity: null,
  environment: {},
  stopRequestedAt: null,
  ofAgent: false,
  ofConfined: false,
  gone: false,
  doneAt: null,
  held: false,
  pausedAt: null,
  talks: false,
})
