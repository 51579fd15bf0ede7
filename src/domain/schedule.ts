import { kindFor, type Settings } from './settings.ts'

/** A task that could be claimed now, in the order in which tasks should start. */
export interface Startable {
  readonly id: number
  readonly personaId: string
  readonly worktree: string | null
  /** The worktree was integrated or discarded, so nothing can be done in it any more. */
  readonly worktreeEnded: boolean
  readonly command: string | null
  readonly commandAllowed: boolean
  readonly createdBy: string | null
  /** Kind that the task asks for (seed 000's CLI), if any. */
  readonly kind: string | null
  /** The agent that is to do it, where one is named. */
  readonly agentId: string | null
  /** Why it waits for something outside of the board: a person's word on its budget, the quota of its agents. */
  readonly held?: string | null
}

/** An agent that is alive or about to be. */
export interface Crew {
  readonly id: string
  readonly personaId: string
  readonly kind: string
  readonly worktree: string | null
  /** Ours: waiting without a process for its next task, or with one; external: it registered itself and claims by itself. */
  readonly standing: 'waiting' | 'working' | 'external'
}

export interface Start {
  readonly taskId: number
  /** The waiting agent that takes the task; null where a new one is made. */
  readonly agentId: string | null
  /** The id that a new agent is to have; null leaves it open. */
  readonly name: string | null
  readonly personaId: string
  readonly kind: string
  readonly worktree: string | null
}

export interface Held {
  readonly taskId: number
  readonly why: string
}

/** The kind whose agents run a task's own shell command. */
export const COMMAND_KIND = 'command'

/**
 * Which of the startable tasks start now, and why the others wait. At most `maxParallel` processes run at a time;
 * in one worktree one command at a time, since it commits whatever changed.
 */
export const plan = (
  startable: readonly Startable[],
  crew: readonly Crew[],
  settings: Settings,
  kinds: readonly string[],
  maxParallel: number,
): { starts: readonly Start[]; held: readonly Held[] } => {
  const starts: Start[] = []
  const held: Held[] = []
  const waiting = crew.filter((agent) => agent.standing === 'waiting')
  const working = crew.filter((agent) => agent.standing === 'working')
  let running = working.length
  const commandIn = new Set(working.filter((agent) => agent.kind === COMMAND_KIND).map((agent) => agent.worktree))
  const engaged = new Map(crew.filter((agent) => agent.standing !== 'waiting').map((agent) => [agent.id, agent.standing]))
  for (const task of startable) {
    const why = whyHeld(task, settings, kinds) ?? whyCrowded(task, settings, commandIn) ?? whyEngaged(task, engaged)
    if (why !== undefined) held.push({ taskId: task.id, why })
    else if (running >= maxParallel) held.push({ taskId: task.id, why: `${running} of at most ${maxParallel} agents are running` })
    else {
      const kind = kindOf(task, settings)!
      const at = waiting.findIndex(
        (agent) => agent.personaId === task.personaId && agent.kind === kind && agent.worktree === task.worktree && agent.id === (task.agentId ?? agent.id),
      )
      const agentId = at === -1 ? null : waiting.splice(at, 1)[0]!.id
      starts.push({ taskId: task.id, agentId, name: task.agentId, personaId: task.personaId, kind, worktree: task.worktree })
      if (task.agentId !== null) engaged.set(task.agentId, 'working')
      running += 1
      if (kind === COMMAND_KIND) commandIn.add(task.worktree)
    }
  }
  return { starts, held }
}

/** A task with a command of its own is run by the kind `command`; the others by what the task or the configuration says. */
export const kindOf = (task: Pick<Startable, 'command' | 'personaId' | 'kind' | 'agentId'>, settings: Settings): string | null =>
  task.command !== null ? COMMAND_KIND : (task.kind ?? kindFor(settings, task.personaId, task.agentId ?? undefined))

/** A command that an agent put on the board waits for a person's word (DESIGN section 5). */
export const whyCommandWaits = (task: Pick<Startable, 'command' | 'commandAllowed' | 'createdBy'>): string | undefined =>
  task.command !== null && !task.commandAllowed
    ? `its command comes from ${task.createdBy === 'human' ? 'a client' : `agent ${task.createdBy}`} and waits for a person to start it`
    : undefined

/** Why nobody can start the task by himself, whatever else runs; undefined when somebody can. */
export const whyHeld = (task: Startable, settings: Settings, kinds: readonly string[]): string | undefined => {
  const kind = kindOf(task, settings)
  if (task.worktreeEnded) return `its worktree ${task.worktree} has ended; cancel it`
  if (kind === null) return `no agent kind is configured for persona ${task.personaId}; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' names`
  if (!kinds.includes(kind)) return `the agent kind '${kind}' is not known; the known ones are ${kinds.join(', ')}`
  return whyCommandWaits(task) ?? task.held ?? undefined
}

/** An agent that a task names does one task after the other. */
const whyEngaged = ({ agentId }: Startable, engaged: ReadonlyMap<string, Crew['standing']>): string | undefined => {
  const standing = agentId === null ? undefined : engaged.get(agentId)
  if (standing === undefined) return undefined
  return standing === 'external' ? `agent ${agentId} registered itself and has to claim it` : `agent ${agentId} is at work on another task`
}

const whyCrowded = (task: Startable, settings: Settings, commandIn: ReadonlySet<string | null>): string | undefined =>
  kindOf(task, settings) === COMMAND_KIND && commandIn.has(task.worktree) ? `another command runs in ${task.worktree ?? 'the repository root'}` : undefined
