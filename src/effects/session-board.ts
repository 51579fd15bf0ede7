import { duration } from '../domain/time.ts'
import type { Settings } from '../domain/settings.ts'
import type { BoardFile, BoardTask } from '../memory/session-files/board-file.ts'
import type { SessionFile } from '../memory/session-files/session-file.ts'
import type { AgentView, TaskView } from '../operations/kernel/views.ts'
import type { SessionBoard } from '../operations/read-session-board.ts'

// Rows as seed 000's files say them (DESIGN section 9 settles the words).

type Session = NonNullable<SessionBoard['session']>

export const boardFileOf = (session: Session, tasks: readonly TaskView[]): BoardFile => {
  const tiers = tiersOf(tasks)
  return { session: session.id, tasks: tasks.map((task) => boardTaskOf(task, tiers.get(task.priority)!)), other: {} }
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
  other: {},
})

/** Claimed and in progress are one word here, cancelled is failed with its reason, blocked is derived. */
const statusOf = ({ status, blockedBy }: TaskView): BoardTask['status'] => {
  if (status === 'pending') return blockedBy.length > 0 ? 'blocked' : 'pending'
  if (status === 'claimed') return 'in_progress'
  return status === 'cancelled' ? 'failed' : status
}

const reasonOf = ({ status, errorMessage }: TaskView): { reason?: string } => {
  if (status === 'cancelled') return { reason: 'cancelled' }
  return status === 'failed' && errorMessage !== null ? { reason: errorMessage } : {}
}

/** The tier that a board named, else the dense rank of the priority, most important first. */
const tiersOf = (tasks: readonly TaskView[]): ReadonlyMap<number, number> =>
  new Map([...new Set(tasks.map((task) => task.priority))].sort((a, b) => b - a).map((priority, at) => [priority, at + 1]))

const tierIn = (metadata: unknown): number | undefined => {
  const tier = typeof metadata === 'object' && metadata !== null && 'tier' in metadata ? metadata.tier : undefined
  return typeof tier === 'number' && Number.isSafeInteger(tier) && tier >= 0 ? tier : undefined
}

const textIn = (metadata: unknown, key: string): string | null => {
  const value: unknown = typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' && value !== '' ? value : null
}

export const sessionFileOf = (session: Session, { agents }: Pick<SessionBoard, 'agents'>, { session: settings }: Pick<Settings, 'session'>): SessionFile => ({
  id: session.id,
  startedAt: session.startedAt,
  status: session.status,
  agents: agents.map((agent) => ({ id: agent.id, cli: agent.kind, pid: agent.processId, status: agentStatusOf(agent), task: agent.taskId ?? agent.lastTask })),
  configuration: { maxParallel: settings.maxParallel, maxRetries: settings.maxRetries, pollInterval: duration(settings.pollInterval) },
  summary: session.summary === null ? null : summaryOf(session.summary as Record<string, unknown>),
  other: {},
})

const agentStatusOf = ({ status, process, lastOutcome }: AgentView & { lastOutcome: string | null }): string => {
  if (status !== 'terminated') return process === 'wanted' || process === 'started' || (process === 'none' && status === 'active') ? 'running' : status
  if (lastOutcome === null) return 'terminated'
  return lastOutcome === 'completed' || lastOutcome === 'failed' ? lastOutcome : 'crashed'
}

const summaryOf = (summary: Record<string, unknown>): NonNullable<SessionFile['summary']> => {
  const number = (key: string): number => (typeof summary[key] === 'number' ? summary[key] : 0)
  const texts = (key: string): string[] => (Array.isArray(summary[key]) ? summary[key].filter((one): one is string => typeof one === 'string') : [])
  return { totalTasks: number('totalTasks'), completed: number('completed'), failed: number('failed'), filesCreated: texts('filesCreated'), issues: texts('issues') }
}
