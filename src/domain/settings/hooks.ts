/** The events for hooks. `task.failed` means finally: a failure that is retried does not count. */
export const hookEvents = ['task.completed', 'task.failed', 'worktree.integrated'] as const
export type HookEvent = (typeof hookEvents)[number]

/** A shell command, or an address to which the event is posted as JSON. */
export type Hook =
  { readonly run: string } | { readonly post: string; readonly headers: Readonly<Record<string, string>> }

export type Hooks = Readonly<Record<HookEvent, readonly Hook[]>>

export const noHooks: Hooks = { 'task.completed': [], 'task.failed': [], 'worktree.integrated': [] }

/** An event for hooks, from a row of `events`. */
export type Occurrence =
  | { readonly event: 'task.completed' | 'task.failed'; readonly taskId: number; readonly attempt: number }
  | { readonly event: 'worktree.integrated'; readonly worktree: string }

/** A task that an operation ended; the operation's event lists them under `ended`. */
export interface EndedTask {
  readonly taskId: number
  readonly attempt: number
  readonly status: 'completed' | 'failed'
}

/** The completed or failed ones among these tasks. */
export const endedAmong = (
  tasks: readonly { readonly id: number; readonly attempt: number; readonly status: string }[],
): EndedTask[] =>
  tasks.flatMap(({ id, attempt, status }) =>
    status === 'completed' || status === 'failed' ? [{ taskId: id, attempt, status }] : [],
  )

/** The events for hooks in an event row. */
export const occurrencesOf = ({
  operation,
  worktree,
  details,
}: {
  readonly operation: string
  readonly worktree: string | null
  readonly details: unknown
}): Occurrence[] => {
  const told = (details ?? {}) as { readonly ended?: readonly EndedTask[]; readonly kind?: unknown }
  if (operation === 'record_move')
    return told.kind === 'landed' && worktree !== null ? [{ event: 'worktree.integrated', worktree }] : []
  return (told.ended ?? []).map(({ taskId, attempt, status }) => ({ event: `task.${status}`, taskId, attempt }))
}

/** Milliseconds until a delivery that failed `tries` times is retried: 30 s, 60 s, 2 min, … up to an hour. */
export const deliveryDelay = (tries: number): number => Math.min(30_000 * 2 ** Math.max(0, tries - 1), 3_600_000)

/** A delivery that has failed for so long (ms) is abandoned. */
export const DELIVERY_PATIENCE = 86_400_000
