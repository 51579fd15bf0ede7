import { InvalidArgumentError } from 'commander'
import { safeText } from '../../../domain/words/safe-text.ts'
import { act } from '../../../operations/door/perform.ts'
import { spawnAgent } from '../../../operations/agents/spawn-agent.ts'
import { type Answer, type Call, given, open } from '../../call/command.ts'
import type { Services } from '../../call/services.ts'
import { agentLine } from '../../print/agent-text.ts'
import { blocks, pairs, paragraph, section } from '../../print/columns.ts'

interface Wanted {
  readonly personaId: string
  readonly worktree: string | undefined
  readonly kind: string | undefined
  readonly taskId: number | undefined
  readonly once: boolean
  readonly beside: boolean
  readonly taskMode: boolean
  readonly dryRun: boolean
}

/** Records the request for an agent; its process starts when a supervisor runs. A dry run only prints the command. */
export const spawn = async (
  { personaId, worktree, kind, taskId, once, beside, taskMode, dryRun }: Wanted,
  call: Call,
): Promise<Answer> => {
  if (taskMode && (once || taskId !== undefined))
    throw new InvalidArgumentError('--task-mode runs all tasks for the persona. Omit --once and --task.')
  const connection = await open(call)
  if (dryRun) {
    const launch = await call.services.dryRun(connection, {
      personaId,
      kind: kind ?? null,
      worktree: worktree ?? null,
      taskId: taskId ?? null,
    })
    return { json: launch, text: launchText(launch) }
  }
  const agent = await act(connection, spawnAgent, {
    personaId,
    ...given('assignedWorktree', worktree),
    ...given('kind', kind),
    ...given('taskId', taskId),
    once,
    ...(beside ? { beside } : {}),
  })
  return { json: agent, text: agentLine(agent) }
}

const launchText = ({
  argv,
  cwd,
  stdin,
  files,
  environment,
  unasked,
  limits,
  sandbox,
}: Awaited<ReturnType<Services['dryRun']>>): string =>
  blocks([
    pairs([
      ['folder', cwd],
      ...(unasked === null ? [] : [['permissions', unasked] as const]),
      ...(limits === null ? [] : [['limits', limits] as const]),
      ['sandbox', 'off' in sandbox ? `off, because ${sandbox.off}` : 'on: it sees the files below'],
      ...('off' in sandbox ? [] : [['network', sandbox.network] as const]),
    ]),
    'off' in sandbox ? '' : sandbox.notes.map((note) => safeText(`⚠ ${note}`)).join('\n'),
    section(
      'Command',
      argv.map((word) => safeText(word)),
    ),
    section(
      'Environment',
      Object.entries(environment).map(([name, value]) => safeText(`${name}=${value}`)),
    ),
    'off' in sandbox
      ? ''
      : section(
          'Files in the sandbox (later lines take precedence)',
          sandbox.files.map(({ path, access }) => safeText(`${access.padEnd(9)} ${path}`)),
        ),
    stdin === null ? '' : section('Standard input', paragraph(stdin).split('\n')),
    ...files.map((file) => section(safeText(file.path), paragraph(file.content).split('\n'))),
  ])
