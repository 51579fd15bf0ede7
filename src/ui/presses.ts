import { whyCommandWaits } from '../domain/schedule.ts'
import { standingOf, whyNot } from '../domain/task.ts'
import { pauseScheduling } from '../operations/pause-scheduling.ts'
import { retryTask } from '../operations/retry-task.ts'
import type { Desk } from './desk.ts'
import { whyWorktreeBusy } from './reasons.ts'
import { newTaskForm, reasonForm, spawnForm } from './forms.ts'
import { goTo, nextItem, openItem } from './inbox/open.ts'
import { type Intent, linesOf, spawnFor } from './intents.ts'
import { inboxAt } from './inbox/settle.ts'
import { open } from './overlays.ts'
import { openRequestOf, showRequest } from './request.ts'
import { agentAtHand, factsOf, selectedAgent, selectedTask, selectedWorktree, taskAtHand, whyNotRetry, worktreeAtHand } from './selection.ts'
import type { ConsoleState } from './state.ts'
import { actionRefusals, actionText } from '../text/actions.ts'
import { inboxText } from '../text/inbox.ts'

// What the letters do, and why not. A `whyNot…` gives a sentence, or undefined where the key works.

export const whyNotSpawn = (state: ConsoleState): string | undefined => {
  const task = state.view.pane === 'board' ? selectedTask(state) : undefined
  if (!task || whyNot('claim', factsOf(task)) === undefined) return undefined
  // A board has every task, and only one kind of them is for this key.
  return task.status === 'pending' ? actionRefusals.spawnsWhenUnblocked(task.id, task.blockedBy) : actionRefusals.spawnsForPending(standingOf(factsOf(task)))
}

/** On the board: an agent for the selected task. Elsewhere: a form for an agent that works off the board. */
export const spawn = (desk: Desk): void => {
  const state = desk.state()
  const task = state.view.pane === 'board' ? selectedTask(state) : undefined
  if (!task) return desk.change(open({ kind: 'form', form: spawnForm(state, desk.connection.core.kinds) }))
  const beside = whyWorktreeBusy(state, task)
  const waits = task.command !== null && whyCommandWaits(task) !== undefined
  if (waits || beside !== undefined) return ask(desk, { kind: 'spawn', taskId: task.id, personaId: task.personaId, command: waits ? task.command : null, beside })
  spawnFor(desk, task)
}

export const whyNotRetryHere = (state: ConsoleState): string | undefined => whyNotRetry(state, taskAtHand(state))

export const retry = (desk: Desk): void => {
  const task = taskAtHand(desk.state())!
  desk.perform(retryTask, { taskId: task.id }, () => actionText.isOnBoard(task.id))
}

export const whyNotAbort = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'worktrees') return actionRefusals.abortsNoWorktree
  if (about === 'board') {
    const task = selectedTask(state)
    if (!task) return actionRefusals.noTaskToCancel
    return whyNot('cancel', factsOf(task)) === undefined ? undefined : actionRefusals.cancelsUnfinished(standingOf(factsOf(task)))
  }
  const agent = selectedAgent(state)
  if (!agent) return actionRefusals.noAgentToEnd
  return agent.status === 'terminated' ? actionRefusals.agentHasEnded(agent.id) : undefined
}

export const abort = (desk: Desk): void => {
  const state = desk.state()
  ask(desk, state.view.about === 'board' ? { kind: 'cancel', taskId: state.view.task! } : { kind: 'terminate', agentId: state.view.agent! })
}

export const whyNotDiscard = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return NO_WORKTREE
  if (worktree.status !== 'active') return actionRefusals.worktreeIsOver(worktree.name, worktree.status)
  if (worktree.folder !== 'ready') return actionRefusals.worktreeIsBuilt(worktree.name)
  return undefined
}

export const discard = (desk: Desk): void => desk.change(open({ kind: 'form', form: reasonForm('discard', worktreeAtHand(desk.state())!.name) }))

export const newTask = (desk: Desk): void => desk.change((state) => open({ kind: 'form', form: newTaskForm(state) })(state))

export const whyNotPause = ({ board }: ConsoleState): string | undefined => (board.session?.status === 'running' ? undefined : actionRefusals.noSession)

export const pause = (desk: Desk): void => {
  const paused = (desk.state().board.session?.pausedAt ?? null) === null
  desk.perform(pauseScheduling, { paused }, () => (paused ? actionText.paused : actionText.resumed))
}

export const whyNotNext = ({ board }: ConsoleState): string | undefined => (board.attention.length > 0 ? undefined : inboxText.nothing)

/** Goes to the next thing that waits; what an agent asks and what was changed in the configuration is shown at once. */
export const nextWaiting = (desk: Desk): void => {
  const item = nextItem(desk.state())
  // From one that was not answered to the next: what is shown of that one goes, once the next is there.
  if (item.requestId !== null || item.kind === 'configuration' || item.kind === 'budget') return openItem(desk, item, inboxAt(item))
  desk.change((state) => goTo(item)(inboxAt(item)(state)))
  desk.tell(item.text)
}

/** A worktree at hand without a folder is never taken for the main checkout: a shell that opens elsewhere than asked does harm. */
export const whyNoFolder = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (worktree === undefined || (worktree.status === 'active' && worktree.folder === 'ready')) return undefined
  return worktree.status === 'active' ? actionRefusals.worktreeIsBuilt(worktree.name) : actionRefusals.noFolderAnyMore(worktree.name, worktree.status)
}

export const openShell = (desk: Desk): void => desk.openShell(folderAtHand(desk))

export const openEditor = (desk: Desk): void => desk.openEditor(folderAtHand(desk))

export const whyNothingToOpen = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'board') return selectedTask(state) ? undefined : actionRefusals.noTaskToOpen
  if (about === 'agents') return agentAtHand(state) ? undefined : actionRefusals.noAgentToOpen
  return selectedWorktree(state) ? undefined : actionRefusals.noWorktreeToOpen
}

/** An agent that asks is opened at what it asks. */
export const openDetail = (desk: Desk): void => {
  const state = desk.state()
  const request = state.view.about === 'agents' ? openRequestOf(state, state.view.agent) : undefined
  if (request) showRequest(desk, request)
  else desk.change(open({ kind: 'detail', of: state.view.about, top: 0 }))
}

export const NO_WORKTREE = actionRefusals.noWorktree

const ask = (desk: Desk, intent: Intent): void => desk.change((state) => open({ kind: 'confirm', intent, lines: linesOf(state, intent) })(state))

const folderAtHand = (desk: Desk): string => worktreeAtHand(desk.state())?.path ?? desk.connection.core.root
