import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { duration } from '../../domain/words/time.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { BoardTask } from '../../memory/session-files/board-file.ts'
import type { SessionFile } from '../../memory/session-files/session-file.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readSessionTasks, type SessionBoard } from '../../operations/sessions/session-board.ts'
import type { World } from '../world.ts'

// Converts rows to the words of seed 000's files.

type Session = NonNullable<SessionBoard['session']>

/** The tasks of a session, page by page, so that other work in this process can run in between. */
export async function* boardPages(
  { core, actor }: World,
  session: Session,
  priorities: readonly number[],
): AsyncGenerator<readonly BoardTask[]> {
  const ranks = new Map(priorities.map((priority, at) => [priority, at + 1]))
  for (let from: number | null = 0; from !== null;) {
    const page: z.output<typeof readSessionTasks.output> = await perform(
      core,
      readSessionTasks,
      { sessionId: session.id, from },
      actor,
    )
    // A task that was created meanwhile may have a new priority; the next read of the board ranks it.
    yield page.tasks.map((task) => boardTaskOf(task, ranks.get(task.priority) ?? priorities.length + 1))
    await turn()
    from = page.next
  }
}

const boardTaskOf = (task: TaskView, rank: number): BoardTask => ({
  id: task.id,
  agent: task.wantedAgentId ?? task.assignedAgentId ?? task.personaId,
  cli: textIn(task.metadata, 'cli') ?? (task.command === null ? null : 'command'),
  title: task.title,
  status: statusOf(task),
  tier: tierIn(task.metadata) ?? rank,
  dependencies: task.dependencies,
  description: task.description,
  criteria: task.acceptanceCriteria.map(({ text }) => text),
  ...reasonOf(task),
  other: otherOf(task.metadata),
})

/** Fields of an imported task that aiswarm does not know. */
const otherOf = (metadata: unknown): BoardTask['other'] => {
  const end = textIn(metadata, 'other')
  return end === null ? {} : { end }
}

/**
 * The file has one word for claimed and in progress, a cancelled task is failed with its reason, and blocked is
 * derived.
 */
const statusOf = ({ status, blockedBy }: TaskView): BoardTask['status'] => {
  if (status === 'pending') return blockedBy.length > 0 ? 'blocked' : 'pending'
  if (status === 'claimed') return 'in_progress'
  return status === 'cancelled' ? 'failed' : status
}

const reasonOf = ({ status, errorMessage }: TaskView): { reason?: string } => {
  if (status === 'cancelled') return { reason: 'cancelled' }
  return status === 'failed' && errorMessage !== null ? { reason: errorMessage } : {}
}

/** The tier in an imported board; otherwise the rank of the priority counts. */
const tierIn = (metadata: unknown): number | undefined => {
  const tier = typeof metadata === 'object' && metadata !== null && 'tier' in metadata ? metadata.tier : undefined
  return typeof tier === 'number' && Number.isSafeInteger(tier) && tier >= 0 ? tier : undefined
}

const textIn = (metadata: unknown, key: string): string | null => {
  const value: unknown =
    typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' && value !== '' ? value : null
}

export const sessionFileOf = (
  session: Session,
  { agents }: Pick<SessionBoard, 'agents'>,
  { session: settings }: Pick<Settings, 'session'>,
): SessionFile => ({
  id: session.id,
  startedAt: session.startedAt,
  status: session.status,
  agents: agents.map((agent) => ({
    id: agent.id,
    cli: agent.kind,
    pid: agent.processId,
    status: agentStatusOf(agent),
    task: agent.taskId ?? agent.lastTask,
  })),
  configuration: {
    maxParallel: settings.maxParallel,
    maxRetries: settings.maxRetries,
    pollInterval: duration(settings.pollInterval),
  },
  summary: session.summary === null ? null : summaryOf(session.summary as Record<string, unknown>),
  other: {},
})

const agentStatusOf = ({ status, process, lastOutcome }: AgentView & { lastOutcome: string | null }): string => {
  if (status !== 'terminated')
    return process === 'wanted' || process === 'started' || (process === 'none' && status === 'active')
      ? 'running'
      : status
  if (lastOutcome === null) return 'terminated'
  return lastOutcome === 'completed' || lastOutcome === 'failed' ? lastOutcome : 'crashed'
}

const summaryOf = (summary: Record<string, unknown>): NonNullable<SessionFile['summary']> => {
  const number = (key: string): number => (typeof summary[key] === 'number' ? summary[key] : 0)
  const texts = (key: string): string[] =>
    Array.isArray(summary[key]) ? summary[key].filter((one): one is string => typeof one === 'string') : []
  return {
    totalTasks: number('totalTasks'),
    completed: number('completed'),
    failed: number('failed'),
    filesCreated: texts('filesCreated'),
    issues: texts('issues'),
  }
}
