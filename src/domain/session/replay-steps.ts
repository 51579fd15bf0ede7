import type { Past, PastAgent, PastEvent, PastRequest, PastTask, PastWorktree } from './past.ts'

// Changes by an event; the table of the replay combines them.

/** The past while events are applied to it. */
export interface Draft {
  readonly requests: Map<number, PastRequest>
  readonly tasks: Map<number, PastTask>
  readonly agents: Map<string, PastAgent>
  readonly worktrees: Map<string, PastWorktree>
  session: Past['session']
}

export type Details = Readonly<Record<string, unknown>>
/** Applies one event. */
export type Step = (draft: Draft, event: PastEvent, details: Details) => void

export const task = (draft: Draft, { at }: PastEvent, id: unknown, change: Partial<PastTask>): void => {
  if (typeof id !== 'number') return
  const before = draft.tasks.get(id) ?? { status: 'unknown', since: at, agent: null, percent: null, until: null }
  // Work counts from the claim.
  const moved =
    change.status !== undefined &&
    change.status !== before.status &&
    !(before.status === 'claimed' && change.status === 'in_progress')
  draft.tasks.set(id, { ...before, ...change, ...(moved ? { since: at } : {}) })
}

export const agent = (draft: Draft, { at }: PastEvent, id: unknown, change: Partial<PastAgent>): void => {
  if (typeof id !== 'string') return
  const before = draft.agents.get(id) ?? {
    state: 'active',
    kind: null,
    pid: null,
    task: null,
    exitCode: null,
    once: false,
    process: false,
    runsFor: null,
    worktree: null,
    since: at,
  }
  const moved = change.state !== undefined && change.state !== before.state
  draft.agents.set(id, { ...before, ...change, ...(moved ? { since: at } : {}) })
}

export const claimed = (draft: Draft, event: PastEvent, taskId: unknown, agentId: unknown): void => {
  if (typeof agentId !== 'string') return
  task(draft, event, taskId, { status: 'claimed', agent: agentId, percent: null, until: null })
  agent(draft, event, agentId, {
    state: draft.agents.get(agentId)?.state === 'stopping' ? 'stopping' : 'active',
    task: typeof taskId === 'number' ? taskId : null,
  })
}

/** An agent gets a task, and a process is requested for it. */
export const assigned = (draft: Draft, event: PastEvent, taskId: unknown, agentId: unknown): void => {
  if (typeof agentId !== 'string') return
  claimed(draft, event, taskId, agentId)
  agent(draft, event, agentId, {
    state: 'active',
    process: true,
    runsFor: typeof taskId === 'number' ? taskId : null,
    exitCode: null,
  })
}

/** An agent after its process has ended. */
export const withoutProcess = { process: false, runsFor: null, pid: null, task: null } as const

/** Ends the task's assignment; `agent` may still run. */
export const over = (draft: Draft, event: PastEvent, id: unknown, status: PastTask['status']): void => {
  const held = typeof id === 'number' ? draft.tasks.get(id) : undefined
  if (held?.agent && draft.agents.get(held.agent)?.task === id) agent(draft, event, held.agent, { task: null })
  // The requests of its agent about it are withdrawn.
  for (const [number, request] of draft.requests) if (request.task === id) draft.requests.delete(number)
  task(draft, event, id, { status, until: null, ...(status === 'pending' ? { agent: null, percent: null } : {}) })
}

/** A cancelled task stops the process that was started for it. */
export const cancelled: Step = (draft, event) => {
  const before = draft.tasks.get(event.taskId ?? -1)
  const held = before?.status === 'claimed' || before?.status === 'in_progress' ? before.agent : null
  const one = held === null ? undefined : draft.agents.get(held)
  over(draft, event, event.taskId, 'cancelled')
  if (one?.process && one.runsFor === event.taskId) agent(draft, event, held, { state: 'stopping' })
}

/** The tasks of an agent that was removed from the board are pending again. */
export const leave = (draft: Draft, event: PastEvent, agentId: string | null): void => {
  for (const [id, one] of draft.tasks)
    if (one.agent === agentId && (one.status === 'claimed' || one.status === 'in_progress'))
      over(draft, event, id, 'pending')
}

export const gone: Step = (draft, event) => {
  leave(draft, event, event.agentId)
  agent(draft, event, event.agentId, { state: 'terminated', task: null })
}

/** The agents of a lost host end, whatever their processes do. */
export const hostLost: Step = (draft, event, { ended: agents }) => {
  for (const id of Array.isArray(agents) ? (agents as unknown[]) : []) {
    leave(draft, event, String(id))
    agent(draft, event, String(id), { ...withoutProcess, state: 'terminated' })
  }
}

/** An agent without tasks ends; a failure of its last run stays visible. */
export const retire = (draft: Draft, event: PastEvent, id: unknown): void => {
  const { exitCode = null } = draft.agents.get(String(id)) ?? {}
  agent(draft, event, id, { state: (exitCode ?? 0) === 0 ? 'terminated' : 'broken', task: null })
}

/** True if there is no such agent, or it has ended, after which its name may be used again. */
export const hasEnded = (one: PastAgent | undefined): boolean =>
  one === undefined || one.state === 'terminated' || one.state === 'broken'

/** Tasks that the event puts off to a retry, with the earliest time. */
export const waits = (draft: Draft, event: PastEvent, { waiting }: Details): void => {
  for (const { taskId, until } of records(waiting)) if (typeof until === 'string') task(draft, event, taskId, { until })
}

export const notStarted: Step = (draft, event, details) => {
  leave(draft, event, event.agentId)
  waits(draft, event, details)
  agent(draft, event, event.agentId, { ...withoutProcess, state: 'broken' })
}

/** Tasks that the event ended. */
export const ended = (draft: Draft, event: PastEvent, { ended: list }: Details): ReadonlySet<number> => {
  const seen = new Set<number>()
  for (const one of records(list)) {
    if (typeof one['taskId'] !== 'number' || (one['status'] !== 'completed' && one['status'] !== 'failed')) continue
    over(draft, event, one['taskId'], one['status'])
    seen.add(one['taskId'])
  }
  return seen
}

export const made: Step = (draft, event, { tasks }) => {
  for (const id of Array.isArray(tasks) ? tasks : []) task(draft, event, id, { status: 'pending' })
}

export const ofTask =
  (change: Partial<PastTask>): Step =>
  (draft, event) =>
    task(draft, event, event.taskId, change)

export const asks: Step = (draft, event, { request, status }) => {
  // A request that a rule allows is never open.
  if (typeof request !== 'number' || event.agentId === null || (status !== undefined && status !== 'open')) return
  draft.requests.set(request, { agent: event.agentId, task: event.taskId, since: event.at })
}

/** Requests that expired without an answer. */
export const expire = (draft: Draft, { expired }: Details): void => {
  for (const id of Array.isArray(expired) ? expired : []) draft.requests.delete(id as number)
}

export const paused = (draft: Draft, isPaused: boolean): void => {
  if (draft.session) draft.session = { ...draft.session, paused: isPaused }
}

/** A running session may get another goal; it stays paused. */
export const begun = (draft: Draft, id: string): void => {
  draft.session = { id, status: 'running', paused: draft.session?.id === id && draft.session.paused }
}

export const records = (list: unknown): readonly Details[] =>
  Array.isArray(list) ? list.filter((one): one is Details => typeof one === 'object' && one !== null) : []

/** The person holds the task from here on, so the end of the agent's process does not release it. */
export const takenOver: Step = (draft, event, { holder, stops }) => {
  over(draft, event, event.taskId, 'pending')
  claimed(draft, event, event.taskId, holder)
  agent(draft, event, holder, { kind: 'external' })
  if (stops === true) agent(draft, event, event.agentId, { state: 'stopping', task: null })
}

export const handedBack: Step = (draft, event, { status, next }) => {
  over(draft, event, event.taskId, status === 'completed' || status === 'failed' ? status : 'pending')
  agent(draft, event, event.agentId, { state: 'terminated', task: null })
  if (typeof next !== 'string') return
  assigned(draft, event, event.taskId, next)
  agent(draft, event, next, { once: true })
}

/** The end of a run: the agent waits for its next task, or ends with its process. */
export const settled: Step = (draft, event, details) => {
  ended(draft, event, details)
  // Every unfinished task that it held is retried, including those that it claimed itself.
  leave(draft, event, event.agentId)
  waits(draft, event, details)
  const exitCode = typeof details['exitCode'] === 'number' ? details['exitCode'] : null
  const { once = false, state: before } = draft.agents.get(event.agentId ?? '') ?? {}
  // A process that was asked to end has not failed; older logs do not say whether the agent goes on.
  const wasStopping = before === 'stopping'
  const goesOn = typeof details['goesOn'] === 'boolean' ? details['goesOn'] : !wasStopping && !once
  const hasFailed = Number(details['left'] ?? 0) > 0 || (!wasStopping && exitCode !== null && exitCode !== 0)
  agent(draft, event, event.agentId, {
    ...withoutProcess,
    state: goesOn ? 'idle' : hasFailed ? 'broken' : 'terminated',
    exitCode,
  })
}
