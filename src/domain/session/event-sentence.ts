import { shortOid } from '../integration/external-changes.ts'
import { countOf, someOf } from '../words/counts.ts'
import { safeText } from '../words/safe-text.ts'
import type { PastEvent } from './past.ts'
import type { RecordedOperation } from './replay.ts'

/** Facts about the event; `task` is the name of its task, or '' if it has none. */
interface Known {
  readonly task: string
  readonly details: Readonly<Record<string, unknown>>
}

type Sentence = (event: PastEvent, known: Known) => string

/** An event as a sentence without its time and without a full stop; `nameTask` names a task for a reader. */
export const eventSentence = (event: PastEvent, nameTask: (id: number) => string): string => {
  const details = (typeof event.details === 'object' ? (event.details ?? {}) : {}) as Known['details']
  const known = { task: event.taskId === null ? '' : nameTask(event.taskId), details }
  // A newer aiswarm may have recorded an operation that this one does not know.
  const sentence = Object.hasOwn(sentences, event.operation)
    ? sentences[event.operation as RecordedOperation]
    : otherOperation
  return safeText(sentence(event, known))
}

const otherOperation: Sentence = (event, { task }) =>
  [event.actor, event.operation.replaceAll('_', ' '), task, event.worktree ?? '']
    .filter((part) => part !== '')
    .join(' ')

const who = ({ agentId, actor }: PastEvent): string => agentId ?? actor
const list = (value: unknown): readonly (string | number)[] => (Array.isArray(value) ? (value as []) : [])
const tasks = (value: unknown): string =>
  list(value).length === 1 ? `task ${list(value)[0]}` : `tasks ${someOf(list(value), 5)}`
const are = (value: unknown): string => (list(value).length === 1 ? 'is' : 'are')
const oid = (value: unknown): string => shortOid(typeof value === 'string' ? value : null)
const reason = (value: unknown): string => (typeof value === 'string' && value !== '' ? `: ${value}` : '')
const isText = (value: unknown): value is string => typeof value === 'string'
const lists = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as []) : []

const edits = (value: unknown): string =>
  lists(value)
    .map(({ field }) => String(field).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(', ')

const deliverySaid: Readonly<Record<string, string>> = {
  turn: ' at the end of the turn',
  attempt: ' for the next attempt',
}

const handedBack = ({ how, next }: Known['details']): string =>
  how === 'agent' ? `${String(next)} continues` : (handedBackSaid[String(how)] ?? '')

const handedBackSaid: Readonly<Record<string, string>> = {
  done: 'it is done',
  failed: 'it has failed',
  board: 'it is pending again',
}

/** Events of decisions about hosts, and of worktrees that are built. */
const hostSentences = {
  set_remote: ({ actor }, { details }) => `${actor} sets the git remote of the hosts: ${String(details['remote'])}`,
  change_host: ({ actor }, { details: { host, to } }) =>
    `${actor} ${changes[String(to)] ?? 'changes the settings of'} host ${String(host)}`,
  set_snapshots: ({ actor }, { details: { on } }) =>
    `${actor} ${on === true ? 'allows' : 'forbids'} that uncommitted work is pushed to the git remote`,
  revoke_codes: ({ actor }, { details: { revoked } }) =>
    `${actor} revokes ${countOf(Number(revoked), 'code')} to join the board`,
  declare_restored: ({ actor }, { details: { ended } }) =>
    `${actor} says that the board was restored to an earlier time${namesIn(ended).length === 0 ? '' : `; ${someOf(namesIn(ended), 3)} ended`}`,
  withdraw_run: ({ agentId }, { details: { error } }) => `${agentId ?? ''} could not be started: ${String(error)}`,
  request_move: ({ actor, worktree }, { details: { from, to, stays } }) =>
    stays === true
      ? `${actor} undoes the move of ${worktree ?? ''}; it stays on host ${String(from)}`
      : `${actor} moves ${worktree ?? ''} from host ${String(from)} to ${String(to)}`,
  move_worktree: ({ worktree }, { details: { successor, host } }) =>
    `${String(successor)} continues ${worktree ?? ''} on host ${String(host)}`,
  record_worktree: ({ worktree }, { details: { error, back, rests } }) =>
    typeof error === 'string'
      ? `worktree ${worktree} could not be created: ${error}${again(back)}${rests === true ? '; a host builds it later, with its tasks' : ''}`
      : `worktree ${worktree} is ready`,
  continue_stranded: (_, { details }) =>
    [
      ...recordsIn(details['stayed']).map(
        ({ worktree }) => `${String(worktree)} stays where it is, since a host of its move is lost`,
      ),
      ...recordsIn(details['placed']).map(
        ({ worktree, host }) => `host ${String(host)} builds ${String(worktree)} now`,
      ),
      ...recordsIn(details['continued']).map(
        ({ worktree, successor, host }) => `${String(successor)} continues ${String(worktree)} on host ${String(host)}`,
      ),
    ].join('; '),
  forget_host: ({ actor }, { details: { host, worktrees } }) =>
    `${actor} removes host ${String(host)} from the board${namesIn(worktrees).length === 0 ? '' : `, with ${someOf(namesIn(worktrees), 3)}`}`,
} satisfies Readonly<Record<string, HostSentence>>

/** A sentence for each operation that leaves an event; a new operation does not compile without one. */
const sentences: Readonly<Record<RecordedOperation, Sentence>> = {
  ...hostSentences,
  // Sessions
  begin_session: (_, { details }) => `${String(details['session'])} begins`,
  start_session: (_, { details }) => `${String(details['session'])} begins`,
  import_board: (_, { details }) => `${String(details['session'])} begins with ${list(details['tasks']).length} tasks`,
  end_session: (_, { details }) => `${String(details['session'])} ends: ${String(details['status'])}`,
  pause_scheduling: ({ actor }, { details }) =>
    details['paused'] === true ? `${actor} pauses the session` : `${actor} continues the session`,
  join_host: (_, { details }) => `host ${String(details['host'])} joins`,
  record_followed: (_, { details: { target, to } }) =>
    `${String(target)} follows the remote to ${String(to).slice(0, 8)}`,
  return_host: (_, { details: { host, worktrees } }) =>
    `host ${String(host)} is back${list(worktrees).length === 0 ? '' : ` with ${countOf(list(worktrees).length, 'worktree')}`}`,
  settle_return: ({ actor }, { details }) =>
    `${actor} has seen what host ${String(details['host'])} had when it came back`,
  lose_host: ({ actor }, { details: { host, ended } }) =>
    `${actor} declares host ${String(host)} lost${list(ended).length === 0 ? '' : `, and ends ${someOf(list(ended), 3)}`}`,
  lose_silent_host: (_, { details: { host, ended } }) =>
    `host ${String(host)} was silent for too long and is lost${list(ended).length === 0 ? '' : `; ${someOf(list(ended), 3)} ended`}`,
  record_database_restore: (_, { details: { kept } }) =>
    `the database was restored from a backup${isText(kept) ? `; the replaced one is ${kept}` : ''}`,
  record_file_problem: (_, { details }) => String(details['problem']),

  // Tasks
  create_task: (_, { task }) => `${task} is created`,
  create_subtask: ({ actor }, { task, details }) =>
    `${actor} divides task ${String(details['parent'])}: ${task} is created`,
  import_tasks: (_, { details }) => `${tasks(details['tasks'])} ${are(details['tasks'])} created`,
  run_agents: (_, { details }) => `${tasks(details['tasks'])} ${are(details['tasks'])} created`,
  claim_task: (event, { task }) => `${who(event)} claims ${task}`,
  start_task: (event, { task }) => `${who(event)} starts ${task}`,
  report_task_progress: (event, { task, details: { percent } }) =>
    `${who(event)} reports progress on ${task}${typeof percent === 'number' ? `: ${percent}%` : ''}`,
  record_kept_note: (event, { task, details: { late } }) =>
    `a note of ${who(event)} on ${task} arrives${late === true ? ' after its attempt has ended' : ', made while the board could not be reached'}`,
  complete_task: (event, { task }) => `${who(event)} completes ${task}`,
  fail_task: (event, { task, details }) =>
    `${who(event)} fails ${task}${details['status'] === 'pending' ? ', which will be retried' : ''}`,
  record_result: (event, { task, details }) =>
    `${who(event)} ${details['status'] === 'completed' ? 'completes' : 'fails'} ${task}`,
  cancel_task: ({ actor }, { task, details }) => `${task} is cancelled by ${actor}${reason(details['reason'])}`,
  edit_task: ({ actor }, { task, details }) => `${task} is edited by ${actor}${reason(edits(details['changes']))}`,
  retry_task: ({ actor }, { task }) => `${task} is retried by ${actor}`,
  request_changes: (event, { task }) => `${event.actor} requests changes in ${event.worktree}: ${task}`,
  start_race: ({ actor }, { task, details }) =>
    `${actor} races ${task}: ${someOf(
      lists(details['racers']).map(({ kind, model }) => (isText(model) ? `${String(kind)} ${model}` : String(kind))),
      4,
    )}`,
  pick_racer: ({ actor, worktree }, { task }) => `${actor} picks ${worktree} in the race of ${task}`,
  stop_race: ({ actor }, { task }) => `${actor} stops the race of ${task}: no racer is picked`,
  answer_budget: (_, { task, details }) =>
    `the budget of ${task || 'the session'} is ${{ raise: 'raised', none: 'removed', stop: 'used up, and the work stopped' }[String(details['answer'])] ?? 'answered'}`,
  record_delivery: (_, { task, details: { tries, error } }) =>
    `the notification about ${task || 'the session'} failed ${String(tries)} times and is not sent again${reason(error)}`,

  // Agents
  dispatch: (_, { details: { started, retired } }) =>
    [
      ...lists(started).map((one) => `${String(one['agentId'])} gets task ${String(one['taskId'])}`),
      ...(list(retired).length > 0 ? [`${someOf(list(retired), 3)} ${are(retired)} not needed any more`] : []),
    ].join('; '),
  spawn_agent: (event, { task }) => `${event.actor} spawns ${event.agentId}${task === '' ? '' : ` for ${task}`}`,
  fork_agent: (event, { task, details }) =>
    `${event.actor} forks ${String(details['of'])}: ${event.agentId} continues a copy of its conversation for ${task} in ${event.worktree}`,
  register_agent: (event) => `${event.agentId} joins`,
  deregister_agent: (event) => `${event.agentId} leaves`,
  record_launch: (event, { task, details }) =>
    `${event.agentId} starts ${task || 'to work'}, process ${String(details['pid'])}`,
  record_launch_failure: (event, { details }) => `${event.agentId} could not be started${reason(details['error'])}`,
  settle_run: (event, { task, details: { verdict, exitCode } }) =>
    `${event.agentId} ${isText(verdict) ? `ends ${task || 'its work'}: ${verdict}` : 'has exited'}${typeof exitCode === 'number' ? ` (exit code ${exitCode})` : ''}`,
  say_to_agents: ({ actor }, { details }) =>
    `${actor} says something to ${someOf(list(details['agents']), 5)}${deliverySaid[String(details['when'])] ?? ''}`,
  send_message: ({ actor }, { details }) => `${actor} writes to ${String(details['to'])}${reason(details['text'])}`,
  mark_mail_read: ({ actor, agentId }) => `${actor} reads the mail of ${agentId}`,
  stop_turn: ({ actor, agentId }) => `${actor} stops the turn of ${agentId}`,
  terminate_agent: (event, { details }) =>
    `${event.agentId} is asked to stop by ${event.actor}${reason(details['reason'])}`,
  take_over: ({ actor, agentId }, { task, details }) =>
    `${actor} takes over the conversation of ${agentId}, and holds ${task} as ${String(details['holder'])}`,
  hand_back: ({ agentId }, { task, details }) => `${agentId} hands ${task} back: ${handedBack(details)}`,
  record_stop: (event) => `${event.agentId} has stopped`,
  record_pause: (event, { task, details }) =>
    details['paused'] === true
      ? `${event.agentId} is paused: ${task} has used up its budget`
      : `${event.agentId} continues ${task}`,
  record_turns: (event, { task, details }) =>
    `${who(event)} works on ${task}: ${countOf(Number(details['turns']), 'turn')} recorded`,
  record_output: (event) => `${who(event)} prints`,
  sweep: (_, { details: { offline, released, expired } }) =>
    [
      ...(list(offline).length > 0 ? [`${someOf(list(offline), 3)} ${are(offline)} offline`] : []),
      ...(list(released).length > 0 ? [`${tasks(released)} ${are(released)} pending again`] : []),
      ...(list(expired).length > 0 ? [`${list(expired).length} requests expired without an answer`] : []),
    ].join('; '),
  ask_human: (event) => `${event.agentId} asks a question`,
  request_permission: (event, { details: { tool, status } }) =>
    status === undefined || status === 'open'
      ? `${event.agentId} asks for a permission: ${String(tool)}`
      : `${event.agentId} may use ${String(tool)} by a rule`,
  answer_request: (event, { details }) => `${event.actor} answers ${event.agentId}: ${String(details['verdict'])}`,
  set_persona: ({ actor }, { details }) => `${actor} changes the persona ${String(details['persona'])}`,
  sync_personas: (_, { details }) => `personas changed: ${someOf(list(details['changed']), 5)}`,

  // Worktrees
  create_worktree: (event, { details }) =>
    `worktree ${event.worktree} is created on branch ${String(details['branch'])}`,
  undo_integration: (event, { details }) =>
    `${event.actor} undoes the integration of ${event.worktree} on branch ${String(details['branch'])}`,
  discard_worktree: (event, { details }) =>
    `${event.worktree} is discarded by ${event.actor}${reason(details['reason'])}`,
  record_removal: (event, { details: { archiveRef } }) =>
    `${event.worktree} is removed; ${isText(archiveRef) ? `everything in it is archived at ${archiveRef}` : 'nothing was left to archive'}`,
  restore_worktree: (event) => `restore of ${event.worktree} is requested`,
  record_restore: (event, { details: { branch, error } }) =>
    isText(error)
      ? `${event.worktree} is not restored: ${error}`
      : `${event.worktree} is restored on branch ${String(branch)}`,
  adopt_archive: (event, { details }) => `${event.worktree} is registered again from ${String(details['archiveRef'])}`,
  lease_port: (event, { details }) =>
    `${event.worktree} gets port ${String(details['port'])} for ${String(details['purpose'])}`,
  record_sweep: (_, { details }) =>
    `${list(details['trashPaths']).length} removed from the trash: ${someOf(list(details['trashPaths']), 3)}`,
  record_conflict_note: (event, { details: { what, with: other, target } }) =>
    `${event.worktree} ${what === 'began' ? 'conflicts' : 'no longer conflicts'} with ${String(other ?? target)}`,

  // Integration
  integrate_worktree: (event, { details }) =>
    `integration of ${event.worktree} into ${String(details['target'])} is requested`,
  record_candidate: (event, { details }) =>
    'mergeOid' in details
      ? `${event.worktree} merges cleanly: ${oid(details['mergeOid'])}`
      : `${event.worktree} cannot be merged`,
  record_verification: (event, { details: { exitCode } }) =>
    typeof exitCode === 'number'
      ? `verification of ${event.worktree} ${exitCode === 0 ? 'passed' : 'failed'}: exit code ${exitCode}`
      : `${event.worktree} is ready without a verification`,
  record_restack: (event, { details }) => `${event.worktree} is merged again on ${oid(details['targetOid'])}`,
  approve_integration: (event) => `${event.worktree} is approved by ${event.actor}`,
  reject_integration: (event, { details }) =>
    `${event.worktree} is rejected by ${event.actor}${reason(details['reason'])}`,
  begin_move: (event, { details: { unproven } }) =>
    isText(unproven) ? `${event.worktree} is not merged: ${unproven}` : `the merge of ${event.worktree} begins`,
  record_move: (event, { details: { kind, problem } }) =>
    kind === 'landed' ? `${event.worktree} is integrated` : `${event.worktree} is not integrated${reason(problem)}`,
  begin_verification: (_, { details }) => `verification of ${oid(details['commitOid'])} begins`,
  end_verification: (_, { details: { exitCode } }) =>
    `a verification ends${typeof exitCode === 'number' ? `: exit code ${exitCode}` : ''}`,

  // The repository
  record_target: (_, { details: { target, to, recorded, agents } }) =>
    recorded === 'moved'
      ? `${String(target)} was moved to ${oid(to)} while ${someOf(list(agents), 3)} ran, without an approval`
      : `${String(target)} is ${recorded === 'restored' ? 'back ' : ''}at ${oid(to)}${recorded === 'person' ? ', moved by a person' : ''}`,
  accept_target: (event, { details: { target, to } }) =>
    `${String(target)} is accepted${isText(to) ? ` at ${oid(to)}` : ''} by ${event.actor}`,
  put_back_target: (event, { details: { target, to } }) => `${event.actor} puts ${String(target)} back to ${oid(to)}`,
  record_put_back: (_, { details: { target, archiveRef, problem } }) =>
    isText(problem)
      ? `${String(target)} is not put back: ${problem}`
      : `${String(target)} is put back${isText(archiveRef) ? `; the other commits are kept at ${archiveRef}` : ''}`,
  record_checkout: (_, { details }) => `files of the main checkout changed: ${someOf(list(details['noticed']), 3)}`,
  accept_checkout: (event, { details }) =>
    `${event.actor} accepts the changed files of the main checkout: ${someOf(list(details['paths']), 3)}`,
  record_guard: (_, { details: { recorded, lines, host } }) =>
    recorded === 'changed'
      ? `the configuration of git${isText(host) ? ` on host ${host}` : ''} changed: ${someOf(list(lines), 2)}`
      : `the configuration of git${isText(host) ? ` on host ${host}` : ''} is ${recorded === 'first' ? 'recorded' : 'as before'}`,
  trust_configuration: (event, { details }) =>
    `${event.actor} trusts the changed configuration${isText(details['host']) ? ` on host ${details['host']}` : ''}: ${someOf(list(details['lines']), 2)}`,
  adopt_configuration: (_, { details }) =>
    `the changed configuration applies: ${details['by'] === 'aiswarm' ? 'aiswarm wrote it' : 'no agent was running'}`,

  // Memories
  add_conversation: ({ actor }) => `${actor} stores a conversation`,
  add_execution: ({ actor }) => `${actor} stores an execution`,
}

type HostSentence = (event: PastEvent, known: { readonly details: Readonly<Record<string, unknown>> }) => string

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])

const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as []) : []

/** Where the tasks of a worktree are again that should have continued another one; empty if it continued none. */
const again = (back: unknown): string =>
  typeof back === 'object' && back !== null && 'worktree' in back
    ? `; its tasks are in ${String(back.worktree)} again`
    : ''

const changes: Readonly<Record<string, string>> = { drain: 'drains', resume: 'resumes' }
