import { integrationMachine, type IntegrationState, integrationStates } from '../integration/integration.ts'
import { step } from '../rules/state-machine.ts'
import type { Past, PastAgent, PastEvent, PastRequest, PastTask, PastWorktree } from './past.ts'

// How one event changes the past: its tasks, agents, requests and session, then its worktrees and integrations.

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

// Changes of worktrees and integrations by an event.

export const worktree = (draft: Draft, { at }: PastEvent, name: unknown, change: Partial<PastWorktree>): void => {
  if (typeof name !== 'string') return
  const before = draft.worktrees.get(name) ?? {
    state: 'unknown',
    target: null,
    integration: null,
    verified: false,
    gone: false,
    since: at,
  }
  const moved = change.state !== undefined && change.state !== before.state
  draft.worktrees.set(name, {
    ...before,
    ...change,
    ...(isIntegration(change.state) ? { integration: change.state } : {}),
    ...(moved ? { since: at } : {}),
  })
}

/** The unfinished tasks of a discarded worktree are cancelled, and an open integration is rejected. */
export const discarded: Step = (draft, event, details) => {
  const { integration = null } = draft.worktrees.get(event.worktree ?? '') ?? {}
  const rejected = integration === null ? undefined : step(integrationMachine, 'reject', integration)
  worktree(draft, event, event.worktree, {
    state: 'discarded',
    ...(rejected === undefined ? {} : { integration: rejected }),
  })
  for (const id of Array.isArray(details['cancelled']) ? details['cancelled'] : []) over(draft, event, id, 'cancelled')
  leaveWorktree(draft, event)
}

/** A race: a task and a worktree for each racer. */
export const raceStarted: Step = (draft, event, { racers }) => {
  for (const racer of records(racers)) {
    task(draft, event, racer['taskId'], { status: 'pending' })
    worktree(draft, event, racer['worktree'], { state: 'building', gone: false })
  }
}

/** The racers that were not picked end with their worktrees. */
export const racersEnded: Step = (draft, event, { discarded: names, cancelled }) => {
  for (const name of Array.isArray(names) ? (names as unknown[]) : [])
    discarded(draft, { ...event, worktree: String(name) }, {})
  for (const id of Array.isArray(cancelled) ? cancelled : []) over(draft, event, id, 'cancelled')
}

/**
 * A worktree that could not be built: the agents that waited for it end, and the attempts that they hold. One that is tried
 * again stays.
 */
export const notBuilt: Step = (draft, event, details) => {
  const rests = details['rests'] === true
  if (!rests) worktree(draft, event, event.worktree, { state: 'discarded', gone: true })
  for (const id of Array.isArray(details['cancelled']) ? details['cancelled'] : []) over(draft, event, id, 'cancelled')
  const back = records([details['back']])[0]
  // A worktree that should have moved stays where it is; its agents have ended without a failure of theirs.
  if (draft.worktrees.get(String(back?.['worktree']))?.state === 'discarded')
    worktree(draft, event, back!['worktree'], { state: 'active', gone: false })
  ended(draft, event, details)
  endWaiting(draft, event, { in: event.worktree, state: back === undefined && !rests ? 'broken' : 'terminated' })
  waits(draft, event, details)
}

/** The agents that waited for a worktree which is not built end; their tasks are pending again. */
const endWaiting = (
  draft: Draft,
  event: PastEvent,
  { in: name, state }: { readonly in: string | null; readonly state: 'broken' | 'terminated' },
): void => {
  for (const [id, one] of draft.agents) {
    if (one.worktree !== name || hasEnded(one)) continue
    leave(draft, event, id)
    agent(draft, event, id, { ...withoutProcess, state })
  }
}

/** The agents of a worktree end with it: at once, or with their processes. */
export const leaveWorktree = (draft: Draft, event: PastEvent): void => {
  for (const [id, one] of draft.agents) {
    if (one.worktree !== event.worktree || hasEnded(one)) continue
    if (one.process) agent(draft, event, id, { state: 'stopping' })
    else gone(draft, { ...event, agentId: id }, {})
  }
}

export const ofWorktree =
  (change: Partial<PastWorktree>): Step =>
  (draft, event) =>
    worktree(draft, event, event.worktree, change)

/** A review that requests changes rejects an open integration. */
export const changesRequested: Step = (draft, event) => {
  task(draft, event, event.taskId, { status: 'pending' })
  const state = draft.worktrees.get(event.worktree ?? '')?.state
  const rejected = state !== undefined && isIntegration(state) ? step(integrationMachine, 'reject', state) : undefined
  if (rejected) worktree(draft, event, event.worktree, { state: rejected })
}

const isIntegration = (state: PastWorktree['state'] | undefined): state is IntegrationState =>
  integrationStates.some((one) => one === state)

export const moves: Readonly<Record<string, IntegrationState>> = {
  landed: 'integrated',
  held: 'ready',
  stale: 'requested',
  failed: 'unverified',
}

/** A merge with a problem has no commit that could be verified. */
export const merged: Step = (draft, event, { mergeOid }) =>
  worktree(draft, event, event.worktree, { state: typeof mergeOid === 'string' ? 'verifying' : 'conflicted' })

export const verified: Step = (draft, event, { exitCode, verificationId, approved }) => {
  // Without a verification there is no exit code either, as with one that was killed.
  const passed = exitCode === 0 || (verificationId ?? null) === null
  worktree(draft, event, event.worktree, {
    state: approved === true ? 'approved' : passed ? 'ready' : 'unverified',
    verified: exitCode === 0,
  })
}

export const restored: Step = (draft, event, { error }) => {
  if ((error ?? null) !== null) return
  const { integration = null } = draft.worktrees.get(event.worktree ?? '') ?? {}
  // A restored worktree holds more than the work that was integrated.
  const state = integration === null || integration === 'integrated' ? 'active' : integration
  worktree(draft, event, event.worktree, { state, gone: false })
}

/** The worktrees of a host that was removed from the board. */
export const forgotten: Step = (draft, event, { worktrees }) => {
  for (const name of Array.isArray(worktrees) ? (worktrees as string[]) : [])
    worktree(draft, event, name, { state: 'discarded', gone: true })
}

/** Another worktree continues it on another host. */
export const movedAway: Step = (draft, event, { successor }) => {
  if (typeof successor !== 'string') return
  worktree(draft, event, successor, { state: 'building', gone: false })
  worktree(draft, event, event.worktree, { state: 'discarded' })
  leaveWorktree(draft, event)
}

/** A person undoes a move; one that was only asked for changes nothing that is drawn. */
export const moveUndone: Step = (draft, event, { stays, ended: name }) => {
  if (stays === true) staysThere(draft, event, name)
}

/** A worktree stays where it is; the other one that should have continued it ends. */
const staysThere = (draft: Draft, event: PastEvent, other: unknown): void => {
  if (draft.worktrees.get(event.worktree ?? '')?.state === 'discarded')
    worktree(draft, event, event.worktree, { state: 'active', gone: false })
  if (typeof other !== 'string') return
  worktree(draft, event, other, { state: 'discarded' })
  endWaiting(draft, event, { in: other, state: 'terminated' })
}

/**
 * Worktrees of lost hosts are continued; one that is there already only gets their tasks. Moves that wait for a lost host
 * end, and a worktree that could not be built is tried on another host.
 */
export const strandedContinued: Step = (draft, event, { continued, stayed }) => {
  for (const { worktree: name, ended: other } of records(stayed))
    staysThere(draft, { ...event, worktree: String(name) }, other)
  for (const { successor } of records(continued))
    if (draft.worktrees.get(String(successor))?.gone !== false)
      worktree(draft, event, successor, { state: 'building', gone: false })
}
