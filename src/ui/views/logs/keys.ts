import { sep } from 'node:path'
import { sessionId } from '../../../domain/words/time.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { seek } from './movement.ts'
import { followingLogs } from './state.ts'
import { logsIn, shownEntries } from './rows.ts'
import { commonText } from '../../../text/common.ts'
import { logText } from '../../../text/history.ts'

// Key handlers of the logs of all agents.

export const openLogs = (controller: Controller): void => controller.change(open(followingLogs))

export const typeSearch = (controller: Controller): void =>
  controller.change((state) => open({ kind: 'log-search', text: logsIn(state)?.sought ?? '' })(state))

/** Moves to the next occurrence of the typed words. */
export const searchLogs = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'log-search' || overlay.behind?.kind !== 'logs') return
  const { text, behind } = overlay
  controller.change(changingView(() => ({ overlay: { ...behind, sought: text.trim(), found: null } })))
  if (text.trim() !== '') findInLogs(1)(controller)
}

export const whyNotFind = (state: ConsoleState): string | undefined =>
  (logsIn(state)?.sought ?? '') === '' ? logText.typeFirst : undefined

export const findInLogs =
  (by: 1 | -1) =>
  (controller: Controller): void => {
    const sought = (logsIn(controller.state())?.sought ?? '').toLowerCase()
    const next = seek(
      controller.state(),
      ({ text, agent }) => text.toLowerCase().includes(sought) || agent.toLowerCase().includes(sought),
      by,
    )
    if (next) controller.change(() => next)
    else controller.tell(logText.notFound(sought), 'refused')
  }

export const toTrouble =
  (by: 1 | -1) =>
  (controller: Controller): void => {
    const next = seek(controller.state(), ({ trouble }) => trouble, by)
    if (next) controller.change(() => next)
    else controller.tell(logText.noError)
  }

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const overlay = logsIn(state)
  return overlay && shownEntries(state.logs, overlay.level).length > 0 ? undefined : commonText.nothingToSave
}

/** Saves all filtered lines, not only those on the screen. */
export const saveLogs = (controller: Controller): void => {
  const { connection } = controller
  const state = controller.state()
  const entries = shownEntries(state.logs, logsIn(state)!.level)
  const text = entries.map(({ time, agent, look, text }) => `${time} ${agent} ${look.padEnd(6)} ${text}\n`).join('')
  const name = sessionId(connection.core.clock()).replace('session', 'logs')
  controller.askOutside(
    (outside) => outside.saveLog(name, text),
    (path) => controller.tell(logText.saved(entries.length, path.replace(`${connection.core.root}${sep}`, '')), 'done'),
  )
}
