import { kindFor } from '../settings/persona-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { OWN_WORKTREE } from '../worktree/worktree.ts'
import { metadataOf, type PlaceWish } from './metadata.ts'

/** A task that could be claimed now, in the order in which tasks should start. */
export interface Startable {
  readonly id: number
  readonly personaId: string
  readonly worktree: string | null
  /** True if the worktree was integrated or discarded, so that no work is possible in it. */
  readonly worktreeEnded: boolean
  readonly command: string | null
  readonly commandAllowed: boolean
  readonly createdBy: string | null
  /** The kind that the task requests (seed 000's CLI), if any. */
  readonly kind: string | null
  /** The agent of the task, if one is named. */
  readonly agentId: string | null
  /**
   * The reason why it waits for something outside of the board: a person's answer about its budget, the quota of its
   * agents.
   */
  readonly held?: string | null
  /** True if it names no worktree and will get a separate one. */
  readonly ownWorktree?: boolean
  /** The host that it wishes for that worktree. */
  readonly wish?: PlaceWish | undefined
}

/** The kind whose agents run a task's own shell command. */
export const COMMAND_KIND = 'command'

/** The kind `command` runs a task with a command; for others the task or the configuration decides. */
export const kindOf = (
  task: Pick<Startable, 'command' | 'personaId' | 'kind' | 'agentId'>,
  settings: Settings,
): string | null =>
  task.command !== null ? COMMAND_KIND : (task.kind ?? kindFor(settings, task.personaId, task.agentId ?? undefined))

/**
 * A named agent of seed 000 works in the folder that its board names. A command works in the main checkout, unless its
 * task asks for a worktree.
 */
export const wantsOwnWorktree = (
  task: Pick<Startable, 'worktree' | 'agentId' | 'command'> & { readonly metadata: string | null },
  { worktrees: { perTask } }: Pick<Settings, 'worktrees'>,
): boolean =>
  task.worktree === null &&
  task.agentId === null &&
  ((perTask && task.command === null) || metadataOf(task.metadata)['worktree'] === OWN_WORKTREE)

/** A command that an agent added to the board waits for a person's approval. */
export const whyCommandWaits = (
  task: Pick<Startable, 'command' | 'commandAllowed' | 'createdBy'>,
): string | undefined =>
  task.command !== null && !task.commandAllowed
    ? `its command comes from ${task.createdBy === 'human' ? 'a client' : `agent ${task.createdBy}`} and needs a person to start it`
    : undefined

/** The reason why no agent can start the task, whatever else runs; undefined if one can. */
export const whyHeld = (task: Startable, settings: Settings, kinds: readonly string[]): string | undefined =>
  task.worktreeEnded
    ? `its worktree ${task.worktree} has ended; cancel the task`
    : (whyNoKind(task, settings, kinds) ?? whyCommandWaits(task) ?? task.held ?? undefined)

/**
 * The reason why no kind of agent is found for the task: only another configuration or program changes this, not time,
 * an answer or money.
 */
export const whyNoKind = (
  task: Pick<Startable, 'command' | 'personaId' | 'kind' | 'agentId'>,
  settings: Settings,
  kinds: readonly string[],
): string | undefined => {
  const kind = kindOf(task, settings)
  if (kind === null)
    return `no agent kind is configured for persona ${task.personaId}; set agents.default in .aiswarm/config.yaml, or install one that 'aiswarm doctor' lists`
  return kinds.includes(kind) ? undefined : `agent kind '${kind}' is unknown; the known kinds are ${kinds.join(', ')}`
}
