import { integrationMachine, type IntegrationState, integrationStates } from '../integration/integration.ts'
import { step } from '../rules/machine.ts'
import type { PastEvent, PastWorktree } from './past.ts'
import {
  agent,
  type Draft,
  ended,
  gone,
  hasEnded,
  leave,
  over,
  records,
  type Step,
  task,
  waits,
  withoutProcess,
} from './replay-steps.ts'

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
