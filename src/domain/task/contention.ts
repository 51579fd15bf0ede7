import type { AgentState, ProcessState } from '../agent/agent.ts'
import { personaWrites } from '../settings/persona-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { COMMAND_KIND, kindOf, type Startable } from './startable.ts'
import type { ReasonedTask } from './status.ts'

// Why a ready task waits although there is a free slot: the writing agents of its worktree, another command in the
// main checkout, its named agent.

/** An agent that is alive or about to start. */
export interface LiveAgent {
  readonly id: string
  readonly personaId: string
  readonly kind: string
  readonly worktree: string | null
  /**
   * Ours: waiting without a process for its next task, or working; external: it registered itself and claims by itself.
   */
  readonly standing: 'waiting' | 'working' | 'external'
  /** For an external agent: the worktree in which it holds a task now. */
  readonly busyIn?: string | null
}

/** The writing agents of each worktree, and the folders in which a command runs; null means the main checkout. */
interface Busy {
  readonly writers: Map<string, string[]>
  readonly commands: Set<string | null>
}

export const busyIn = (liveAgents: readonly LiveAgent[], settings: Settings): Busy => {
  const busy: Busy = { writers: new Map(), commands: new Set() }
  for (const agent of liveAgents) {
    if (agent.standing === 'working') enter(busy, settings, agent)
    else if (agent.standing === 'external' && agent.busyIn !== undefined)
      enter(busy, settings, { ...agent, worktree: agent.busyIn })
  }
  return busy
}

export const enter = (
  { writers, commands }: Busy,
  settings: Settings,
  { id, kind, personaId, worktree }: Pick<LiveAgent, 'id' | 'kind' | 'personaId' | 'worktree'>,
): void => {
  if (kind === COMMAND_KIND) commands.add(worktree)
  if (worktree === null || !mayWrite(settings, kind, personaId)) return
  writers.set(worktree, [...(writers.get(worktree) ?? []), id])
}

/** A shell command always counts as a writer. */
const mayWrite = (settings: Settings, kind: string | null, personaId: string): boolean =>
  kind === COMMAND_KIND || personaWrites(settings, personaId)

export const whyCrowded = (task: Startable, settings: Settings, { writers, commands }: Busy): string | undefined => {
  const kind = kindOf(task, settings)
  if (task.worktree !== null)
    return mayWrite(settings, kind, task.personaId) ? whyBusy(writers.get(task.worktree) ?? [], settings) : undefined
  return kind === COMMAND_KIND && commands.has(null) ? 'another command is running in the repository root' : undefined
}

const whyBusy = (writers: readonly string[], settings: Settings): string | undefined =>
  writers.length >= settings.worktrees.writers ? `worktree busy: ${writers.join(', ')}` : undefined

/** The reason why a task would wait for the writing agents of its worktree; undefined if it would not. */
export const whyWorktreeBusy = (
  task: Startable,
  liveAgents: readonly LiveAgent[],
  settings: Settings,
): string | undefined => (task.worktree === null ? undefined : whyCrowded(task, settings, busyIn(liveAgents, settings)))

/** The fields of an agent's row that decide whether others wait for it. */
interface Engaged {
  readonly id: string
  readonly kind: string
  readonly personaId: string
  readonly status: AgentState
  readonly process: ProcessState
  readonly assignedWorktree: string | null
  readonly taskId: number | null
}

/** The number of agents that may write in one worktree, and the personas that only read. */
interface Writing {
  readonly writers: number
  readonly readers: readonly string[]
}

/**
 * The reason why a task does not start although there is a free slot: in one worktree one writing agent works at a
 * time, in the main checkout one command, and a named agent does one task after the other.
 */
export const whyNotItsTurn = (
  task: Pick<ReasonedTask, 'command' | 'targetWorktree' | 'wantedAgentId' | 'personaId'>,
  agents: readonly Engaged[],
  { writers, readers }: Writing,
): string | undefined => {
  const running = agents.filter(({ process }) => process === 'wanted' || process === 'started')
  const writes = (agent: Pick<Engaged, 'kind' | 'personaId'>): boolean =>
    agent.kind === COMMAND_KIND || !readers.includes(agent.personaId)
  if (task.targetWorktree === null) {
    const command =
      task.command === null
        ? undefined
        : running.find(({ kind, assignedWorktree }) => kind === COMMAND_KIND && assignedWorktree === null)
    if (command)
      return `another command is running in the repository root${command.taskId === null ? '' : `: task ${command.taskId}`}`
  } else if (writes({ kind: task.command === null ? '' : COMMAND_KIND, personaId: task.personaId })) {
    const inside = running.filter((agent) => agent.assignedWorktree === task.targetWorktree && writes(agent))
    if (inside.length >= writers) return `worktree busy: ${inside.map(({ id }) => id).join(', ')}`
  }
  const wanted = agents.find(({ id, status }) => id === task.wantedAgentId && status !== 'terminated')
  if (wanted?.process === 'none') return `agent ${wanted.id} registered itself and must claim it`
  return wanted && running.includes(wanted)
    ? `agent ${wanted.id} is working on ${wanted.taskId === null ? 'another task' : `task ${wanted.taskId}`}`
    : undefined
}
