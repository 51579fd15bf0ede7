import type { Past, PastEvent } from './past.ts'
import {
  agent,
  asks,
  assigned,
  begun,
  cancelled,
  changesRequested,
  claimed,
  type Details,
  discarded,
  type Draft,
  ended,
  expire,
  forgotten,
  gone,
  handedBack,
  hasEnded,
  hostLost,
  leave,
  leaveWorktree,
  made,
  merged,
  movedAway,
  moves,
  moveUndone,
  notBuilt,
  notStarted,
  ofTask,
  ofWorktree,
  over,
  paused,
  racersEnded,
  raceStarted,
  records,
  restored,
  retire,
  settled,
  type Step,
  strandedContinued,
  takenOver,
  task,
  verified,
  waits,
  withoutProcess,
  worktree,
} from './replay-steps.ts'

// Replays the event log: the known state at a moment, from the events up to it.
//
// Facts that no event contains are shown as unknown: the state of tasks in an imported board; whether an agent that
// was asked to end still had a process; CPU, memory, heartbeats and contexts, and how far a branch was ahead of its
// target; the cost of a session; a stall, which only the time without progress shows; the kind whose quota a sleeping
// task waits for, which is shown here as waiting for its retry; the expiry of a question if its own agent noticed it
// before the sweep. A launch without a note of whether the task began with it counts as its beginning. Titles,
// priorities and dependencies are shown as they are now.

/** The past with these further events, oldest first. Does not change its argument. */
export const replay = (past: Past, events: readonly PastEvent[]): Past => {
  const draft: Draft = {
    requests: new Map(past.requests),
    tasks: new Map(past.tasks),
    agents: new Map(past.agents),
    worktrees: new Map(past.worktrees),
    session: past.session,
  }
  for (const event of events) stepOf(event.operation)?.(draft, event, detailsOf(event))
  return draft
}

const stepOf = (operation: string): Step | undefined =>
  Object.hasOwn(steps, operation) ? steps[operation as keyof typeof steps] : undefined

const spawned: Step = (draft, event, { kind }) => {
  agent(draft, event, event.agentId, {
    // One for the board has no task yet.
    state: event.taskId === null ? 'idle' : 'active',
    ...(typeof kind === 'string' ? { kind } : {}),
    once: event.taskId !== null,
    worktree: event.worktree,
    exitCode: null,
  })
  if (event.taskId !== null) assigned(draft, event, event.taskId, event.agentId)
}

/** A row for each operation whose events change a state. */
const steps = {
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
  start_task: (draft, event) =>
    task(draft, event, event.taskId, {
      status: 'in_progress',
      ...(event.agentId === null ? {} : { agent: event.agentId }),
    }),
  report_task_progress: (draft, event, { percent }) =>
    task(draft, event, event.taskId, { status: 'in_progress', ...(typeof percent === 'number' ? { percent } : {}) }),
  complete_task: (draft, event) => over(draft, event, event.taskId, 'completed'),
  fail_task: (draft, event, details) => {
    over(draft, event, event.taskId, details['status'] === 'failed' ? 'failed' : 'pending')
    waits(draft, event, details)
  },
  record_result: (draft, event, details) => {
    if (!ended(draft, event, details).has(event.taskId ?? -1))
      over(draft, event, event.taskId, details['status'] === 'completed' ? 'completed' : 'pending')
    waits(draft, event, details)
  },
  cancel_task: cancelled,
  record_pause: (draft, event, { paused }) =>
    agent(draft, event, event.agentId, { state: paused === true ? 'paused' : 'active' }),
  answer_budget: (draft, event, { answer }) => {
    if (answer === 'stop' && event.taskId !== null) cancelled(draft, event, {})
    else if (answer === 'stop') paused(draft, true)
  },
  start_race: raceStarted,
  stop_race: racersEnded,
  pick_racer: (draft, event, details) => {
    racersEnded(draft, event, details)
    over(draft, event, event.taskId, 'completed')
  },
  retry_task: (draft, event) => over(draft, event, event.taskId, 'pending'),

  dispatch: (draft, event, { started, retired }) => {
    for (const one of records(started)) {
      const { taskId, agentId, worktree } = one
      const isNew = typeof agentId === 'string' && hasEnded(draft.agents.get(agentId))
      assigned(draft, event, taskId, agentId)
      agent(draft, event, agentId, {
        ...(isNew ? { once: true } : {}),
        ...(typeof worktree === 'string' ? { worktree } : {}),
      })
    }
    for (const id of Array.isArray(retired) ? retired : []) retire(draft, event, id)
  },
  spawn_agent: spawned,
  fork_agent: (draft, event, details) => {
    task(draft, event, event.taskId, { status: 'pending' })
    worktree(draft, event, event.worktree, { state: 'building', gone: false })
    spawned(draft, event, details)
  },
  record_launch: (draft, event, { pid, starts }) => {
    agent(draft, event, event.agentId, {
      // A process that was asked to end before it was there ends as soon as it is.
      ...(draft.agents.get(event.agentId ?? '')?.state === 'stopping' ? {} : { state: 'active' }),
      process: true,
      pid: typeof pid === 'number' ? pid : null,
      task: event.taskId,
      runsFor: event.taskId,
    })
    // Most agents report their start; a kind that reports nothing starts with its process.
    if (starts !== false && event.taskId !== null && draft.tasks.get(event.taskId)?.status === 'claimed')
      task(draft, event, event.taskId, { status: 'in_progress' })
  },
  record_launch_failure: notStarted,
  withdraw_run: notStarted,
  settle_run: settled,
  sweep: (draft, event, details) => {
    expire(draft, details)
    const done = ended(draft, event, details)
    for (const id of Array.isArray(details['released']) ? details['released'] : [])
      if (!done.has(id as number)) over(draft, event, id, 'pending')
    for (const id of Array.isArray(details['offline']) ? details['offline'] : [])
      agent(draft, event, id, { state: 'offline' })
  },
  register_agent: (draft, event) => agent(draft, event, event.agentId, { state: 'active', kind: 'external' }),
  deregister_agent: gone,
  // An agent with a process ends when the process has ended.
  terminate_agent: (draft, event, details) =>
    details['ended'] === true ? gone(draft, event, details) : agent(draft, event, event.agentId, { state: 'stopping' }),
  take_over: takenOver,
  hand_back: handedBack,
  record_stop: (draft, event, { exitCode, left }) => {
    leave(draft, event, event.agentId)
    agent(draft, event, event.agentId, {
      ...withoutProcess,
      state: Number(left ?? 0) > 0 ? 'broken' : 'terminated',
      exitCode: typeof exitCode === 'number' ? exitCode : null,
    })
  },
  create_worktree: ofWorktree({ state: 'building', gone: false }),
  undo_integration: ofWorktree({ state: 'building', gone: false }),
  record_worktree: (draft, event, details) => {
    if ((details['error'] ?? null) === null) worktree(draft, event, event.worktree, { state: 'active' })
    else notBuilt(draft, event, details)
  },
  integrate_worktree: (draft, event, { target }) =>
    worktree(draft, event, event.worktree, {
      state: 'requested',
      verified: false,
      target: typeof target === 'string' ? target : null,
    }),
  record_candidate: merged,
  record_verification: verified,
  approve_integration: ofWorktree({ state: 'approved' }),
  begin_move: (draft, event, { unproven }) =>
    worktree(draft, event, event.worktree, { state: typeof unproven === 'string' ? 'ready' : 'moving' }),
  record_move: (draft, event, { kind }) => {
    worktree(draft, event, event.worktree, { state: moves[String(kind)] ?? 'unknown' })
    if (kind === 'landed') leaveWorktree(draft, event)
  },
  reject_integration: ofWorktree({ state: 'rejected' }),
  discard_worktree: discarded,
  record_removal: ofWorktree({ gone: true }),
  record_restore: restored,

  pause_scheduling: (draft, _, details) => paused(draft, details['paused'] === true),
  lose_host: hostLost,
  lose_silent_host: hostLost,
  declare_restored: hostLost,
  forget_host: forgotten,
  request_move: moveUndone,
  move_worktree: movedAway,
  continue_stranded: strandedContinued,
  begin_session: (draft, _, { session }) => begun(draft, String(session)),
  start_session: (draft, event, { session }) => {
    begun(draft, String(session))
    task(draft, event, event.taskId, { status: 'pending' })
  },
  end_session: (draft, _, { session, status }) =>
    void (draft.session = { id: String(session), status: String(status), paused: false }),
} satisfies Readonly<Record<string, Step>>

/**
 * The name of an operation that leaves an event: a new one does not compile before it has a row above, or is listed as
 * one that changes nothing.
 */
export type RecordedOperation = keyof typeof steps | Undrawn

const detailsOf = ({ details }: PastEvent): Details =>
  typeof details === 'object' && details !== null ? (details as Details) : {}

/** Operations whose events change nothing that is drawn. */
type Undrawn =
  | 'accept_checkout'
  | 'accept_target'
  | 'add_conversation'
  | 'add_execution'
  | 'adopt_archive'
  | 'adopt_configuration'
  | 'begin_verification'
  | 'change_host'
  | 'edit_task'
  | 'end_verification'
  | 'join_host'
  | 'lease_port'
  | 'mark_mail_read'
  | 'put_back_target'
  | 'record_checkout'
  | 'record_conflict_note'
  | 'record_database_restore'
  | 'record_delivery'
  | 'record_file_problem'
  | 'record_followed'
  | 'record_guard'
  | 'record_kept_note'
  | 'record_output'
  | 'record_put_back'
  | 'record_restack'
  | 'record_sweep'
  | 'record_target'
  | 'record_turns'
  | 'restore_worktree'
  | 'return_host'
  | 'revoke_codes'
  | 'say_to_agents'
  | 'send_message'
  | 'set_persona'
  | 'set_remote'
  | 'set_snapshots'
  | 'settle_return'
  | 'stop_turn'
  | 'sync_personas'
  | 'trust_configuration'
