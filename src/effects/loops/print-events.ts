import { waitingPlace } from '../../domain/request/attention.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime } from '../../domain/words/time.ts'
import { getTask } from '../../operations/tasks/get-task.ts'
import { perform } from '../../operations/door/perform.ts'
import type { EventView } from '../../operations/views/event-view.ts'
import { listEvents } from '../../operations/sessions/list-events.ts'
import { readBoard } from '../../operations/screens/read-board.ts'
import type { World } from '../world.ts'

/**
 * Prints one line per event from its creation on, and one line for each request that needs a person, with the command
 * that answers it. `tell` prints the new ones.
 */
export const eventPrinter = async (
  world: World,
  line: (text: string) => void,
): Promise<{ tell: () => Promise<void> }> => {
  const { core, actor } = world
  let afterId = (await perform(core, listEvents, { limit: 1 }, actor)).at(-1)?.id ?? 0
  const titles = new Map<number, string>()
  const title = async (id: number): Promise<string> => {
    const known = titles.get(id) ?? (await perform(core, getTask, { taskId: id }, actor)).title
    titles.set(id, known)
    return `task ${id} (${safeText(known)})`
  }
  let waiting: ReadonlySet<string> = new Set()
  const needsYou = async (): Promise<void> => {
    const { attention } = await perform(core, readBoard, { before: 0, after: 1 }, actor)
    for (const item of attention)
      if (!waiting.has(waitingPlace(item)))
        line(`${clockTime(core.clock())}  needs you: ${safeText(item.text)}: ${safeText(item.command)}`)
    waiting = new Set(attention.map(waitingPlace))
  }
  let turn: Promise<void> = Promise.resolve()
  const tell = async (): Promise<void> => {
    for (const event of await perform(core, listEvents, { afterId, limit: 1000 }, actor)) {
      afterId = event.id
      const sentence = await sentenceOf(event, title)
      if (sentence !== undefined) line(`${clockTime(event.at)}  ${sentence}`)
    }
    await needsYou()
  }
  return { tell: () => (turn = turn.then(tell)) }
}

type Details = Readonly<Record<string, unknown>>

const sentenceOf = async (event: EventView, title: (id: number) => Promise<string>): Promise<string | undefined> => {
  const details = (event.details ?? {}) as Details
  const task = event.taskId === null ? '' : await title(event.taskId)
  const tell = sentences[event.operation]
  return tell?.(event, task, details)
}

/** The events worth a line; operations without a row are skipped. */
const sentences: Readonly<Record<string, (event: EventView, task: string, details: Details) => string | undefined>> = {
  begin_session: (_, __, { session }) => `${String(session)} begins`,
  create_task: (_, task) => `${task} is created`,
  import_tasks: (_, __, { tasks }) =>
    (tasks as number[]).length === 1
      ? `task ${(tasks as number[])[0]} is created`
      : `${(tasks as number[]).length} tasks are created`,
  create_worktree: (event, _, { branch }) =>
    `worktree ${event.worktree} is created on branch ${safeText(String(branch))}`,
  record_launch: (event, task, { pid }) => `${event.agentId} starts ${task || 'to work'}, process ${String(pid)}`,
  record_launch_failure: (event, _, { error }) => `${event.agentId} could not be started: ${safeText(String(error))}`,
  settle_run: (event, task, { verdict, exitCode }) =>
    `${event.agentId} ${verdict === null ? 'has exited' : `ends ${task || 'its work'}: ${verdict as string}`}${typeof exitCode === 'number' ? ` (exit code ${exitCode})` : ''}`,
  import_board: (_, __, { session, tasks }) => `${String(session)} begins with ${(tasks as number[]).length} tasks`,
  run_agents: (_, __, { tasks }) =>
    `${(tasks as number[]).map((id) => `task ${id}`).join(', ')} ${(tasks as number[]).length === 1 ? 'is' : 'are'} created`,
  record_result: (event, task, { status }) =>
    `${event.agentId} ${status === 'completed' ? 'completes' : 'fails'} ${task}`,
  record_file_problem: (_, __, { problem }) => safeText(String(problem)),
  record_conflict_note: (event, _, { what, with: other, target }) =>
    `${event.worktree} ${what === 'began' ? 'conflicts' : 'no longer conflicts'} with ${safeText(String(other ?? target))}`,
  complete_task: (event, task) => `${event.agentId} completes ${task}`,
  fail_task: (event, task) => `${event.agentId ?? event.actor} fails ${task}`,
  record_pause: (event, task, { paused }) =>
    paused === true
      ? `${event.agentId} is paused: ${task} has used up its budget; decide with 'aiswarm task budget ${event.taskId}'`
      : `${event.agentId} continues ${task}`,
  answer_budget: (_, task, { answer }) =>
    `the budget of ${task || 'the session'}: ${{ raise: 'raised', none: 'removed', stop: 'stopped' }[String(answer) as 'raise']}`,
  cancel_task: (_, task) => `${task} is cancelled`,
  retry_task: (_, task) => `${task} is retried`,
  terminate_agent: (event) => `${event.agentId} is asked to stop`,
  record_stop: (event) => `${event.agentId} has stopped`,
  sweep: (_, __, { offline, released }) =>
    `offline: ${(offline as string[]).join(', ') || 'none'}; pending again: ${(released as number[]).join(', ') || 'none'}`,
  integrate_worktree: (event, _, { target }) =>
    `integration of ${event.worktree} into ${safeText(String(target))} is requested`,
  record_candidate: (event, _, details) =>
    'mergeOid' in details
      ? `${event.worktree} merges cleanly: ${String(details['mergeOid']).slice(0, 10)}`
      : `${event.worktree} cannot be merged`,
  record_verification: (event, _, { exitCode }) =>
    typeof exitCode === 'number'
      ? `verification of ${event.worktree} ${exitCode === 0 ? 'passed' : 'failed'}: exit code ${exitCode}`
      : undefined,
  request_changes: (event) => `${event.actor} requests changes in ${event.worktree}: task ${event.taskId}`,
  approve_integration: (event) => `${event.worktree} is approved by ${event.actor}`,
  record_move: (event, _, { kind, problem }) =>
    kind === 'landed'
      ? `${event.worktree} is integrated`
      : `${event.worktree} is not integrated: ${safeText(String(problem))}`,
  accept_target: (event, _, { target, to }) =>
    `${safeText(String(target))} is accepted${typeof to === 'string' ? ` at ${to.slice(0, 8)}` : ''} by ${event.actor}`,
  record_put_back: (_, __, { target, archiveRef, problem }) =>
    typeof problem === 'string'
      ? `${safeText(String(target))} is not put back: ${safeText(problem)}`
      : `${safeText(String(target))} is put back${typeof archiveRef === 'string' ? `; the other commits are kept at ${safeText(archiveRef)}` : ''}`,
  discard_worktree: (event) => `${event.worktree} is discarded`,
  record_removal: (event, _, { archiveRef }) =>
    `${event.worktree} is removed; ${typeof archiveRef === 'string' ? `everything in it is archived at ${archiveRef}` : 'nothing was left to archive'}`,
  restore_worktree: (event) => `restore of ${event.worktree} is requested`,
  record_restore: (event, _, { branch, error }) =>
    typeof error === 'string'
      ? `${event.worktree} is not restored: ${safeText(error)}`
      : `${event.worktree} is restored on branch ${safeText(String(branch))}`,
  adopt_archive: (event, _, { archiveRef }) => `${event.worktree} is registered again from ${String(archiveRef)}`,
  record_database_restore: (_, __, { kept }) =>
    `the database was restored from a backup${typeof kept === 'string' ? `; the replaced one is ${safeText(kept)}` : ''}`,
  record_sweep: (_, __, { trashPaths }) =>
    `${(trashPaths as string[]).length} removed from the trash: ${(trashPaths as string[]).map((path) => safeText(path)).join(', ')}`,
  end_session: (_, __, { session, status }) => `${String(session)} ends: ${String(status)}`,
}
