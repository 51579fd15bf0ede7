import { sep } from 'node:path'
import { sessionId } from '../../domain/time.ts'
import type { Desk } from '../desk.ts'
import { open } from '../overlays.ts'
import { type ConsoleState, looking } from '../state.ts'
import { seek } from './movement.ts'
import { followingLogs } from './state.ts'
import { logsIn, shownEntries } from './window.ts'
import { commonText } from '../../text/common.ts'
import { logText } from '../../text/logs.ts'

// What the letters do in the logs of all agents.

export const openLogs = (desk: Desk): void => desk.change(open(followingLogs))

export const typeSearch = (desk: Desk): void => desk.change((state) => open({ kind: 'log-search', text: logsIn(state)?.sought ?? '' })(state))

/** Goes to where the words that were typed stand next. */
export const searchLogs = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'log-search' || overlay.behind?.kind !== 'logs') return
  const { text, behind } = overlay
  desk.change(looking(() => ({ overlay: { ...behind, sought: text.trim(), found: null } })))
  if (text.trim() !== '') findInLogs(1)(desk)
}

export const whyNotFind = (state: ConsoleState): string | undefined => ((logsIn(state)?.sought ?? '') === '' ? logText.typeFirst : undefined)

export const findInLogs =
  (by: 1 | -1) =>
  (desk: Desk): void => {
    const sought = (logsIn(desk.state())?.sought ?? '').toLowerCase()
    const next = seek(desk.state(), ({ text, agent }) => text.toLowerCase().includes(sought) || agent.toLowerCase().includes(sought), by)
    if (next) desk.change(() => next)
    else desk.tell(logText.notFound(sought), 'refused')
  }

export const toTrouble =
  (by: 1 | -1) =>
  (desk: Desk): void => {
    const next = seek(desk.state(), ({ trouble }) => trouble, by)
    if (next) desk.change(() => next)
    else desk.tell(logText.noError)
  }

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const overlay = logsIn(state)
  return overlay && shownEntries(state.logs, overlay.level).length > 0 ? undefined : commonText.nothingToSave
}

/** Writes the lines that are shown, all of them and not only those on the screen. */
export const saveLogs = (desk: Desk): void => {
  const { connection } = desk
  const state = desk.state()
  const entries = shownEntries(state.logs, logsIn(state)!.level)
  const text = entries.map(({ time, agent, look, text }) => `${time} ${agent} ${look.padEnd(6)} ${text}\n`).join('')
  const name = sessionId(connection.core.clock()).replace('session', 'logs')
  desk.look(
    (outside) => outside.saveLog(name, text),
    (path) => desk.tell(logText.saved(entries.length, path.replace(`${connection.core.root}${sep}`, '')), 'done'),
  )
}
