import { sshTo } from '../../domain/host/ssh.ts'
import { whyCommandWaits } from '../../domain/task/startable.ts'
import { standingOf, whyNot } from '../../domain/task/task.ts'
import { pauseScheduling } from '../../operations/sessions/sessions.ts'
import { retryTask } from '../../operations/tasks/retry.ts'
import type { Controller } from '../core/controller.ts'
import { whyWorktreeBusy } from '../rows/tasks.ts'
import { discardForm } from './discard.ts'
import { goTo, nextItem, ofNoRow, openItem } from './items.ts'
import { cancelQuestion, terminateQuestion } from './cancel.ts'
import { onItsHost } from './on-host.ts'
import { ask } from './question.ts'
import { backTo } from './settle.ts'
import { spawnFor, spawnForm, spawnQuestion } from './spawn.ts'
import { open } from '../core/overlays.ts'
import { openRequestOf, showRequest } from './answer.ts'
import {
  agentAtHand,
  factsOf,
  selectedAgent,
  selectedTask,
  selectedWorktree,
  taskAtHand,
  whyNotRetry,
  worktreeAtHand,
} from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { actionRefusals, actionText } from '../../text/panes.ts'
import { inboxText } from '../../text/inbox.ts'

// Key handlers, and the reasons why keys are unavailable. A `whyNot…` returns a sentence, or undefined if the key
// works.

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

export const whyNotAbort = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'worktrees') return actionRefusals.abortsNoWorktree
  if (about === 'board') {
    const task = selectedTask(state)
    if (!task) return actionRefusals.noTaskToCancel
    return whyNot('cancel', factsOf(task)) === undefined
      ? undefined
      : actionRefusals.cancelsUnfinished(standingOf(factsOf(task)))
  }
  const agent = selectedAgent(state)
  if (!agent) return actionRefusals.noAgentToEnd
  return agent.status === 'terminated' ? actionRefusals.agentHasEnded(agent.id) : undefined
}

export const abort = (controller: Controller): void =>
  ask(controller, (state) =>
    state.view.about === 'board'
      ? cancelQuestion(state, state.view.task!)
      : terminateQuestion(state, state.view.agent!),
  )

export const whyNotDiscard = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return actionRefusals.noWorktree
  if (worktree.status !== 'active') return actionRefusals.worktreeIsOver(worktree.name, worktree.status)
  if (worktree.folder !== 'ready') return actionRefusals.worktreeIsBuilt(worktree.name)
  return undefined
}

export const discard = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: discardForm(worktreeAtHand(controller.state())!.name) }))

export const whyNotPause = ({ board }: ConsoleState): string | undefined =>
  board.session?.status === 'running' ? undefined : actionRefusals.noSession

export const pause = (controller: Controller): void => {
  const paused = (controller.state().board.session?.pausedAt ?? null) === null
  controller.perform(pauseScheduling, { paused }, () => (paused ? actionText.paused : actionText.resumed))
}

export const whyNotNext = ({ board }: ConsoleState): string | undefined =>
  board.attention.length > 0 ? undefined : inboxText.nothing

/** Moves to the next inbox item; a request of an agent and a changed configuration are opened at once. */
export const nextWaiting = (controller: Controller): void => {
  const item = nextItem(controller.state())
  // From one that was not answered to the next: what is shown of that one goes, once the next is there.
  if (item.requestId !== null || ofNoRow.has(item.kind) || item.kind === 'budget')
    return openItem(controller, item, backTo(item))
  controller.change((state) => goTo(item)(backTo(item)(state)))
  controller.tell(item.text)
}

/**
 * A worktree without a folder is never replaced by the main checkout, because a shell in another folder than expected
 * does harm.
 */
export const whyNoFolder = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (worktree === undefined || (worktree.status === 'active' && worktree.folder === 'ready')) return undefined
  return worktree.status === 'active'
    ? actionRefusals.worktreeIsBuilt(worktree.name)
    : actionRefusals.noFolderAnyMore(worktree.name, worktree.status)
}

export const openShell = (controller: Controller): void =>
  openAt(controller, (folder) => controller.openShell(folder), 'shell')

export const openEditor = (controller: Controller): void =>
  openAt(controller, (folder) => controller.openEditor(folder), 'editor')

/** Opens the folder at hand here, or by SSH on the host where it is. */
const openAt = (controller: Controller, here: (folder: string) => void, there: 'shell' | 'editor'): void => {
  const worktree = worktreeAtHand(controller.state())
  const { root } = controller.connection.core
  if (worktree === undefined) return here(root)
  onItsHost(
    controller,
    worktree,
    () => here(worktree.path),
    ({ name, ssh }) => {
      if (ssh === null) return controller.tell(actionRefusals.isElsewhere(worktree.name, name), 'refused')
      controller.openTaken({ argv: sshTo(ssh, worktree.path, there), folder: root, environment: {} }, () => {})
    },
  )
}

export const whyNothingToOpen = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'board') return selectedTask(state) ? undefined : actionRefusals.noTaskToOpen
  if (about === 'agents') return agentAtHand(state) ? undefined : actionRefusals.noAgentToOpen
  return selectedWorktree(state) ? undefined : actionRefusals.noWorktreeToOpen
}

/** An agent with a request is opened at the request. */
export const openDetail = (controller: Controller): void => {
  const state = controller.state()
  const request = state.view.about === 'agents' ? openRequestOf(state, state.view.agent) : undefined
  if (request) showRequest(controller, request)
  else controller.change(open({ kind: 'detail', of: state.view.about, top: 0 }))
}
