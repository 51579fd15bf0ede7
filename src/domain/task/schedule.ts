import type { Settings } from '../settings/settings.ts'
import { personaWrites } from '../settings/persona-settings.ts'
import { type Startable, COMMAND_KIND, kindOf, whyHeld } from './startable.ts'
import { busyIn, enter, type LiveAgent, whyCrowded } from './contention.ts'

export interface Start {
  readonly taskId: number
  /** The waiting agent that takes the task; null for a new one. */
  readonly agentId: string | null
  /** The id of a new agent; null for the next free one. */
  readonly name: string | null
  readonly personaId: string
  readonly kind: string
  readonly worktree: string | null
  /** True if it gets a separate worktree, created together with it. */
  readonly ownWorktree: boolean
}

export interface Held {
  readonly taskId: number
  readonly why: string
}

/**
 * Decides which ready tasks start now, and why the others wait. At most `maxParallel` processes run at a time. In one
 * worktree at most `worktrees.writers` writing agents work at a time, because each would commit the other's unfinished
 * work. In the main checkout this applies to commands only.
 */
export const plan = (
  startable: readonly Startable[],
  liveAgents: readonly LiveAgent[],
  settings: Settings,
  kinds: readonly string[],
  maxParallel: number,
): { starts: readonly Start[]; held: readonly Held[] } => {
  const starts: Start[] = []
  const held: Held[] = []
  const waiting = liveAgents.filter((agent) => agent.standing === 'waiting')
  const working = liveAgents.filter((agent) => agent.standing === 'working')
  let running = working.length
  const busy = busyIn(liveAgents, settings)
  const engaged = new Map(
    liveAgents.filter((agent) => agent.standing !== 'waiting').map((agent) => [agent.id, agent.standing]),
  )
  for (const task of startable) {
    const why = whyHeld(task, settings, kinds) ?? whyCrowded(task, settings, busy) ?? whyEngaged(task, engaged)
    if (why !== undefined) held.push({ taskId: task.id, why })
    else if (running >= maxParallel)
      held.push({ taskId: task.id, why: `${running} of at most ${maxParallel} agents are running` })
    else {
      const kind = kindOf(task, settings)!
      const mayOwn = kind !== COMMAND_KIND || task.command !== null
      const ownWorktree = task.ownWorktree === true && mayOwn && personaWrites(settings, task.personaId)
      const at = waiting.findIndex(
        (agent) =>
          agent.personaId === task.personaId &&
          agent.kind === kind &&
          !ownWorktree &&
          agent.worktree === task.worktree &&
          agent.id === (task.agentId ?? agent.id),
      )
      const agentId = at === -1 ? null : waiting.splice(at, 1)[0]!.id
      starts.push({
        taskId: task.id,
        agentId,
        name: task.agentId,
        personaId: task.personaId,
        kind,
        worktree: task.worktree,
        ownWorktree,
      })
      if (task.agentId !== null) engaged.set(task.agentId, 'working')
      running += 1
      if (!ownWorktree)
        enter(busy, settings, {
          id: agentId ?? task.agentId ?? `task ${task.id}`,
          kind,
          personaId: task.personaId,
          worktree: task.worktree,
        })
    }
  }
  return { starts, held }
}

/** A named agent does one task after the other. */
const whyEngaged = (
  { agentId }: Startable,
  engaged: ReadonlyMap<string, LiveAgent['standing']>,
): string | undefined => {
  const standing = agentId === null ? undefined : engaged.get(agentId)
  if (standing === undefined) return undefined
  return standing === 'external'
    ? `agent ${agentId} registered itself and must claim it`
    : `agent ${agentId} is working on another task`
}
