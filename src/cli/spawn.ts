import { InvalidArgumentError } from 'commander'
import { safeText } from '../domain/safe-text.ts'
import { act } from '../operations/kernel/perform.ts'
import { spawnAgent } from '../operations/spawn-agent.ts'
import { type Answer, type Call, given, open } from './command.ts'
import type { Services } from './services.ts'
import { agentLine } from './text/agent-text.ts'
import { blocks, pairs, paragraph, section } from './text/columns.ts'

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

/** Puts the wish for an agent on record; the process follows when a supervisor runs. A dry run only tells what it would be. */
export const spawn = async ({ personaId, worktree, kind, taskId, once, beside, taskMode, dryRun }: Wanted, call: Call): Promise<Answer> => {
  if (taskMode && (once || taskId !== undefined)) throw new InvalidArgumentError('--task-mode works off the board; it goes neither with --once nor with --task.')
  const connection = await open(call)
  if (dryRun) {
    const launch = await call.services.dryRun(connection, { personaId, kind: kind ?? null, worktree: worktree ?? null, taskId: taskId ?? null })
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

const launchText = ({ argv, cwd, stdin, files, environment }: Awaited<ReturnType<Services['dryRun']>>): string =>
  blocks([
    pairs([['folder', cwd]]),
    section(
      'Command',
      argv.map((word) => safeText(word)),
    ),
    section(
      'Environment',
      Object.entries(environment).map(([name, value]) => safeText(`${name}=${value}`)),
    ),
    stdin === null ? '' : section('Standard input', paragraph(stdin).split('\n')),
    ...files.map((file) => section(safeText(file.path), paragraph(file.content).split('\n'))),
  ])
