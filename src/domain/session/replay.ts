import { integrationMachine, type IntegrationState, integrationStates } from '../integration/integration.ts'
import { step } from '../rules/machine.ts'
import type { Past, PastAgent, PastEvent, PastRequest, PastTask, PastWorktree } from './past.ts'

// Replays the event log: the known state at a moment, from the events up to it.
//
// Facts that no event contains are shown as unknown: the state of tasks in an imported board; whether an agent that
// was asked to end still had a process; CPU, memory, heartbeats and contexts, and how far a branch was ahead of its
// target; the cost of a session; a stall, which only the time without progress shows; the kind whose quota a sleeping
// task waits for, which is shown here as waiting for its retry; the expiry of a question if its own agent noticed it
// before the sweep. A launch without a note of whether the task began with it counts as its beginning. Titles and
// dependencies never change, so they are looked up when they are drawn.

export { nothingYet, type Past, type PastAgent, type PastEvent, type PastTask, type PastWorktree } from './past.ts'

/** The past with these further events, oldest first. Does not change its argument. */
export const replay = (past: Past, events: readonly PastEvent[]): Past => {
  const draft: Draft = { requests: new Map(past.requests), tasks: new Map(past.tasks), agents: new Map(past.agents), worktrees: new Map(past.worktrees), session: past.session }
  for (const event of events) steps[event.operation]?.(draft, event, detailsOf(event))
  return draft
}

interface Draft {
  readonly requests: Map<number, PastRequest>
  readonly tasks: Map<number, PastTask>
  readonly agents: Map<string, PastAgent>
  readonly worktrees: Map<string, PastWorktree>
  session: Past['session']
}

type Details = Readonly<Record<string, unknown>>
type Step = (draft: Draft, event: PastEvent, details: Details) => void

const task = (draft: Draft, { at }: PastEvent, id: unknown, change: Partial<PastTask>): void => {
  if (typeof id !== 'number') return
  const before = draft.tasks.get(id) ?? { status: 'unknown', since: at, agent: null, percent: null, until: null }
  // Work counts from the claim.
  const moved = change.status !== undefined && change.status !== before.status && !(before.status === 'claimed' && change.status === 'in_progress')
  draft.tasks.set(id, { ...before, ...change, ...(moved ? { since: at } : {}) })
}

const agent = (draft: Draft, { at }: PastEvent, id: unknown, change: Partial<PastAgent>): void => {
  if (typeof id !== 'string') return
  const before = draft.agents.get(id) ?? { state: 'active', kind: null, pid: null, task: null, exitCode: null, once: false, since: at }
  const moved = change.state !== undefined && change.state !== before.state
  draft.agents.set(id, { ...before, ...change, ...(moved ? { since: at } : {}) })
}

const worktree = (draft: Draft, { at }: PastEvent, name: unknown, change: Partial<PastWorktree>): void => {
  if (typeof name !== 'string') return
  const before = draft.worktrees.get(name) ?? { state: 'unknown', target: null, verified: false, gone: false, since: at }
  const moved = change.state !== undefined && change.state !== before.state
  draft.worktrees.set(name, { ...before, ...change, ...(moved ? { since: at } : {}) })
}

const claimed = (draft: Draft, event: PastEvent, taskId: unknown, agentId: unknown, hired = false): void => {
  if (typeof agentId !== 'string') return
  task(draft, event, taskId, { status: 'claimed', agent: agentId, percent: null, until: null })
  agent(draft, event, agentId, { state: 'active', task: typeof taskId === 'number' ? taskId : null, ...(hired && !draft.agents.has(agentId) ? { once: true } : {}) })
}

/** Ends the task's assignment; `agent` may still run. */
const over = (draft: Draft, event: PastEvent, id: unknown, status: PastTask['status']): void => {
  const held = typeof id === 'number' ? draft.tasks.get(id) : undefined
  if (held?.agent && draft.agents.get(held.agent)?.task === id) agent(draft, event, held.agent, { task: null })
  // The requests of its agent about it are withdrawn.
  for (const [number, request] of draft.requests) if (request.task === id) draft.requests.delete(number)
  task(draft, event, id, { status, until: null, ...(status === 'pending' ? { agent: null, percent: null } : {}) })
}

/** The tasks of an agent that was removed from the board are pending again. */
const leave = (draft: Draft, event: PastEvent, agentId: string | null): void => {
  for (const [id, one] of draft.tasks) if (one.agent === agentId && (one.status === 'claimed' || one.status === 'in_progress')) over(draft, event, id, 'pending')
}

const gone: Step = (draft, event) => {
  leave(draft, event, event.agentId)
  agent(draft, event, event.agentId, { state: 'terminated', task: null })
}

/** Tasks that the event puts off to a retry, with the earliest time. */
const waits = (draft: Draft, event: PastEvent, { waiting }: Details): void => {
  for (const { taskId, until } of records(waiting)) if (typeof until === 'string') task(draft, event, taskId, { until })
}

/** Tasks that the event ended. */
const ended = (draft: Draft, event: PastEvent, { ended: list }: Details): ReadonlySet<number> => {
  const seen = new Set<number>()
  for (const one of records(list)) {
    if (typeof one['taskId'] !== 'number' || (one['status'] !== 'completed' && one['status'] !== 'failed')) continue
    over(draft, event, one['taskId'], one['status'])
    seen.add(one['taskId'])
  }
  return seen
}

const made: Step = (draft, event, { tasks }) => {
  for (const id of Array.isArray(tasks) ? tasks : []) task(draft, event, id, { status: 'pending' })
}

const ofTask =
  (change: Partial<PastTask>): Step =>
  (draft, event) =>
    task(draft, event, event.taskId, change)

const ofWorktree =
  (change: Partial<PastWorktree>): Step =>
  (draft, event) =>
    worktree(draft, event, event.worktree, change)

const asks: Step = (draft, event, { request, status }) => {
  // A request that a rule allows is never open.
  if (typeof request !== 'number' || event.agentId === null || (status !== undefined && status !== 'open')) return
  draft.requests.set(request, { agent: event.agentId, task: event.taskId, since: event.at })
}

/** Requests that expired without an answer. */
const expire = (draft: Draft, { expired }: Details): void => {
  for (const id of Array.isArray(expired) ? expired : []) draft.requests.delete(id as number)
}

/** A review that requests changes rejects an open integration. */
const changesRequested: Step = (draft, event) => {
  task(draft, event, event.taskId, { status: 'pending' })
  const state = draft.worktrees.get(event.worktree ?? '')?.state
  const rejected = state !== undefined && isIntegration(state) ? step(integrationMachine, 'reject', state) : undefined
  if (rejected) worktree(draft, event, event.worktree, { state: rejected })
}

const isIntegration = (state: PastWorktree['state']): state is IntegrationState => (integrationStates as readonly string[]).includes(state)

const paused = (draft: Draft, isPaused: boolean): void => {
  if (draft.session) draft.session = { ...draft.session, paused: isPaused }
}

/** A running session may get another goal; it stays paused. */
const begun = (draft: Draft, id: string): void => {
  draft.session = { id, status: 'running', paused: draft.session?.id === id && draft.session.paused }
}

const moves: Readonly<Record<string, IntegrationState>> = { landed: 'integrated', held: 'ready', stale: 'requested', failed: 'unverified' }

/** One row per operation that changes a state; the others change nothing that is drawn. */
const steps: Readonly<Record<string, Step>> = {
  create_task: ofTask({ status: 'pending' }),
  create_subtask: ofTask({ status: 'pending' }),
  request_changes: changesRequested,
  ask_human: asks,
  request_permission: asks,
  answer_request: (draft, _, { request }) => void draft.requests.delete(request as number),
  import_tasks: made,
  run_agents: made,
  import_board: (draft, event, { tasks }) => {
    for (const id of Array.isArray(tasks) ? tasks : []) task(draft, event, id, { status: 'unknown' })
  },
  claim_task: (draft, event) => claimed(draft, event, event.taskId, event.agentId),
  start_task: (draft, event) => task(draft, event, event.taskId, { status: 'in_progress', ...(event.agentId === null ? {} : { agent: event.agentId }) }),
  report_task_progress: (draft, event, { percent }) => task(draft, event, event.taskId, { status: 'in_progress', ...(typeof percent === 'number' ? { percent } : {}) }),
  complete_task: (draft, event) => over(draft, event, event.taskId, 'completed'),
  fail_task: (draft, event, details) => {
    over(draft, event, event.taskId, details['status'] === 'failed' ? 'failed' : 'pending')
    waits(draft, event, details)
  },
  record_result: (draft, event, details) => {
    if (!ended(draft, event, details).has(event.taskId ?? -1)) over(draft, event, event.taskId, details['status'] === 'completed' ? 'completed' : 'pending')
    waits(draft, event, details)
  },
  cancel_task: (draft, event) => over(draft, event, event.taskId, 'cancelled'),
  record_pause: (draft, event, { paused }) => agent(draft, event, event.agentId, { state: paused === true ? 'paused' : 'active' }),
  answer_budget: (draft, event, { answer }) => {
    if (answer === 'stop' && event.taskId !== null) over(draft, event, event.taskId, 'cancelled')
    else if (answer === 'stop') paused(draft, true)
  },
  retry_task: (draft, event) => over(draft, event, event.taskId, 'pending'),

  dispatch: (draft, event, { started, retired }) => {
    for (const one of records(started)) claimed(draft, event, one['taskId'], one['agentId'], true)
    for (const id of Array.isArray(retired) ? retired : []) agent(draft, event, id, { state: 'terminated', task: null })
  },
  spawn_agent: (draft, event, { kind }) => {
    agent(draft, event, event.agentId, { state: 'active', ...(typeof kind === 'string' ? { kind } : {}), once: event.taskId !== null })
    if (event.taskId !== null) claimed(draft, event, event.taskId, event.agentId)
  },
  record_launch: (draft, event, { pid, starts }) => {
    agent(draft, event, event.agentId, { state: 'active', pid: typeof pid === 'number' ? pid : null, task: event.taskId })
    // Most agents report their start; a kind that reports nothing starts with its process.
    if (starts !== false && event.taskId !== null && draft.tasks.get(event.taskId)?.status === 'claimed') task(draft, event, event.taskId, { status: 'in_progress' })
  },
  record_launch_failure: (draft, event, details) => {
    leave(draft, event, event.agentId)
    waits(draft, event, details)
    agent(draft, event, event.agentId, { state: 'broken', task: null })
  },
  settle_run: (draft, event, details) => {
    ended(draft, event, details)
    // Every unfinished task that it held is retried, including those that it claimed itself.
    leave(draft, event, event.agentId)
    waits(draft, event, details)
    const exitCode = typeof details['exitCode'] === 'number' ? details['exitCode'] : null
    const once = draft.agents.get(event.agentId ?? '')?.once ?? false
    agent(draft, event, event.agentId, { state: !once ? 'idle' : exitCode === 0 ? 'terminated' : 'broken', pid: null, task: null, exitCode })
  },
  sweep: (draft, event, details) => {
    expire(draft, details)
    const done = ended(draft, event, details)
    for (const id of Array.isArray(details['released']) ? details['released'] : []) if (!done.has(id as number)) over(draft, event, id, 'pending')
    for (const id of Array.isArray(details['offline']) ? details['offline'] : []) agent(draft, event, id, { state: 'offline' })
  },
  register_agent: (draft, event) => agent(draft, event, event.agentId, { state: 'active', kind: 'external' }),
  deregister_agent: gone,
  // An agent with a process ends when the process has ended.
  terminate_agent: (draft, event, details) => (details['ended'] === true ? gone(draft, event, details) : agent(draft, event, event.agentId, { state: 'stopping' })),
  record_stop: (draft, event, { exitCode }) => {
    leave(draft, event, event.agentId)
    agent(draft, event, event.agentId, { state: 'terminated', pid: null, task: null, exitCode: typeof exitCode === 'number' ? exitCode : null })
  },

  create_worktree: ofWorktree({ state: 'building', gone: false }),
  undo_integration: ofWorktree({ state: 'building', gone: false }),
  record_worktree: (draft, event, { error }) => worktree(draft, event, event.worktree, error === null ? { state: 'active' } : { state: 'discarded', gone: true }),
  integrate_worktree: (draft, event, { target }) =>
    worktree(draft, event, event.worktree, { state: 'requested', verified: false, target: typeof target === 'string' ? target : null }),
  record_candidate: (draft, event, { conflicts }) =>
    worktree(draft, event, event.worktree, { state: Array.isArray(conflicts) && conflicts.length > 0 ? 'conflicted' : 'verifying' }),
  record_verification: (draft, event, { exitCode }) =>
    worktree(draft, event, event.worktree, exitCode === 0 || exitCode === null ? { state: 'ready', verified: exitCode === 0 } : { state: 'unverified' }),
  approve_integration: ofWorktree({ state: 'approved' }),
  begin_move: (draft, event, { unproven }) => worktree(draft, event, event.worktree, { state: typeof unproven === 'string' ? 'ready' : 'moving' }),
  record_move: (draft, event, { kind }) => worktree(draft, event, event.worktree, { state: moves[String(kind)] ?? 'unknown' }),
  reject_integration: ofWorktree({ state: 'rejected' }),
  discard_worktree: ofWorktree({ state: 'discarded' }),
  record_removal: ofWorktree({ gone: true }),
  restore_worktree: ofWorktree({ state: 'building', gone: false }),
  record_restore: (draft, event, { error }) => worktree(draft, event, event.worktree, (error ?? null) === null ? { state: 'active', gone: false } : { state: 'unknown' }),

  pause_scheduling: (draft, _, details) => paused(draft, details['paused'] === true),
  begin_session: (draft, _, { session }) => begun(draft, String(session)),
  start_session: (draft, event, { session }) => {
    begun(draft, String(session))
    task(draft, event, event.taskId, { status: 'pending' })
  },
  end_session: (draft, _, { session, status }) => void (draft.session = { id: String(session), status: String(status), paused: false }),
}

const detailsOf = ({ details }: PastEvent): Details => (typeof details === 'object' && details !== null ? (details as Details) : {})

const records = (list: unknown): readonly Details[] => (Array.isArray(list) ? list.filter((one): one is Details => typeof one === 'object' && one !== null) : [])
