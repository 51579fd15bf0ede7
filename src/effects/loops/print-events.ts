import { waitingPlace } from '../../domain/request/inbox.ts'
import { eventSentence } from '../../domain/session/event-sentence.ts'
import type { RecordedOperation } from '../../domain/session/replay.ts'
import { isAway } from '../../domain/rules/refusal.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime } from '../../domain/words/time.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { listEvents } from '../../operations/sessions/sessions.ts'
import { readBoard } from '../../operations/screens/board.ts'
import type { World } from '../world.ts'

/**
 * Prints one line per event from its creation on, and one line for each request that needs a person, with the command
 * that answers it. `tell` prints the new ones. If the board is away at first, the events begin when it answers.
 */
export const eventPrinter = async (
  world: World,
  line: (text: string) => void,
): Promise<{ tell: () => Promise<void> }> => {
  const { core, actor } = world
  const newest = async (): Promise<number> => (await perform(core, listEvents, { limit: 1 }, actor)).at(-1)?.id ?? 0
  let afterId = await newest().catch((error: unknown) => {
    if (!isAway(error)) throw error
    return undefined
  })
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
    afterId ??= await newest()
    for (const event of await perform(core, listEvents, { afterId, limit: 1000 }, actor)) {
      afterId = event.id
      if (silent.has(event.operation)) continue
      const task = event.taskId === null ? '' : await title(event.taskId)
      line(`${clockTime(event.at)}  ${eventSentence(event, () => task)}`)
    }
    await needsYou()
  }
  // One that failed does not keep the next one away.
  return { tell: () => (turn = turn.catch(() => {}).then(tell)) }
}

/** Steps of the agents and of the loops that a reader of a whole run can do without. */
const silent: ReadonlySet<string> = new Set<RecordedOperation>([
  'accept_checkout',
  'add_conversation',
  'add_execution',
  'adopt_configuration',
  'answer_request',
  'ask_human',
  'begin_move',
  'begin_verification',
  'claim_task',
  'create_subtask',
  'deregister_agent',
  'dispatch',
  'end_verification',
  'lease_port',
  'pause_scheduling',
  'put_back_target',
  'record_checkout',
  'record_delivery',
  'record_guard',
  'record_restack',
  'record_target',
  'record_turns',
  'record_worktree',
  'register_agent',
  'reject_integration',
  'report_task_progress',
  'request_permission',
  'set_persona',
  'spawn_agent',
  'start_session',
  'start_task',
  'sync_personas',
  'trust_configuration',
  'undo_integration',
])
