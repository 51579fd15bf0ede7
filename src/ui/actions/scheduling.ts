import { whyCommandWaits } from '../../domain/task/startable.ts'
import { standingOf, whyNot } from '../../domain/task/task.ts'
import { spelledOut } from '../../domain/words/safe-text.ts'
import { spawnAgent } from '../../operations/agents/spawn.ts'
import { pauseScheduling } from '../../operations/sessions/sessions.ts'
import { retryTask } from '../../operations/tasks/retry.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { intentText, noChoice, receiptText, spawnForm as words } from '../../text/forms.ts'
import { actionRefusals, actionText } from '../../text/panes.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Form } from '../core/form.ts'
import { closeAll, open } from '../core/overlays.ts'
import { agentAtHand, factsOf, selectedTask, taskAtHand, whyNotRetry, worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { whyWorktreeBusy } from '../rows/tasks.ts'
import { ask, itemOf, type Question, settle } from './answers.ts'
import { worktreeChoice } from './task-form.ts'

// Starts agents, retries tasks, and pauses scheduling. A `whyNot…` returns the sentence why a key is unavailable,
// or undefined if it works.

export const whyNotSpawn = (state: ConsoleState): string | undefined => {
  const task = state.view.pane === 'board' ? selectedTask(state) : undefined
  if (!task || whyNot('claim', factsOf(task)) === undefined) return undefined
  // A board lists all tasks, and this key applies only to pending ones.
  return task.status === 'pending'
    ? actionRefusals.spawnsWhenUnblocked(task.id, task.blockedBy)
    : actionRefusals.spawnsForPending(standingOf(factsOf(task)))
}

/**
 * On the board: starts an agent for the selected task. Elsewhere: opens a form for an agent that takes tasks by itself.
 */
export const spawn = (controller: Controller): void => {
  const state = controller.state()
  const task = state.view.pane === 'board' ? selectedTask(state) : undefined
  if (!task) return controller.change(open({ kind: 'form', form: spawnForm(state, controller.connection.core.kinds) }))
  const beside = whyWorktreeBusy(state, task)
  const waits = task.command !== null && whyCommandWaits(task) !== undefined
  if (waits || beside !== undefined)
    return ask(controller, () =>
      spawnQuestion({ taskId: task.id, personaId: task.personaId, command: waits ? task.command : null, beside }),
    )
  spawnFor(controller, task)
}

export const whyNotRetryHere = (state: ConsoleState): string | undefined => whyNotRetry(state, taskAtHand(state))

export const retry = (controller: Controller): void => {
  const task = taskAtHand(controller.state())!
  controller.perform(retryTask, { taskId: task.id }, () => actionText.isOnBoard(task.id))
}

export const whyNotPause = ({ board }: ConsoleState): string | undefined =>
  board.session?.status === 'running' ? undefined : actionRefusals.noSession

export const pause = (controller: Controller): void => {
  const paused = (controller.state().board.session?.pausedAt ?? null) === null
  controller.perform(pauseScheduling, { paused }, () => (paused ? actionText.paused : actionText.resumed))
}

const { root: NONE, configured: CONFIGURED } = noChoice

/** An agent that takes tasks from the board. */
const spawnForm = (state: ConsoleState, kinds: readonly string[]): Form => ({
  kind: 'spawn',
  title: words.title,
  at: 0,
  fields: [
    choiceField('persona', words.labels.persona, state.personas, agentAtHand(state)?.personaId ?? 'implementer'),
    choiceField('worktree', words.labels.worktree, worktreeChoice(state), worktreeAtHand(state)?.name ?? NONE),
    choiceField('kind', words.labels.kind, [CONFIGURED, ...kinds], CONFIGURED),
  ],
  submit: (controller, values) => {
    controller.change(closeAll)
    controller.perform(
      spawnAgent,
      {
        personaId: values['persona']!,
        ...(values['worktree'] === NONE ? {} : { assignedWorktree: values['worktree']! }),
        ...(values['kind'] === CONFIGURED ? {} : { kind: values['kind']! }),
      },
      (agent) => words.takesTasks(agent.id, agent.kind, agent.personaId),
    )
  },
})

interface Spawned {
  readonly taskId: number
  readonly personaId: string
  readonly command: string | null
  /** Why the worktree is busy: the agent starts beside another one. */
  readonly beside?: string | undefined
}

/** An agent for one task, where something speaks against starting it unasked. */
export const spawnQuestion = ({ taskId, personaId, command, beside: busy }: Spawned): Question => ({
  lines: [
    ...(busy === undefined ? [] : [intentText.beside(busy)]),
    ...(command === null
      ? [intentText.spawnTask(personaId, taskId)]
      : [intentText.spawn(personaId, taskId), ...spelledOut(command)]),
  ],
  carryOut: (controller) => {
    const item = itemOf(controller.state(), { kind: 'command', taskId })
    const beside = busy === undefined ? {} : { beside: true }
    if (item)
      settle(controller, item, receiptText.started, spawnAgent, { taskId, personaId, ...beside }, (agent) =>
        startingReceipt(agent, taskId),
      )
    else spawnFor(controller, { id: taskId, personaId }, beside)
  },
})

const spawnFor = (
  controller: Controller,
  { id, personaId }: Pick<TaskView, 'id' | 'personaId'>,
  beside: { readonly beside?: boolean } = {},
): void => controller.perform(spawnAgent, { taskId: id, personaId, ...beside }, (agent) => startingReceipt(agent, id))

const startingReceipt = ({ id, kind }: { readonly id: string; readonly kind: string }, taskId: number): string =>
  receiptText.starting(id, kind, taskId)
