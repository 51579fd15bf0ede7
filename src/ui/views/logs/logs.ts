import { sep } from 'node:path'
import { sessionId } from '../../../domain/words/time.ts'
import { commonText } from '../../../text/common.ts'
import { logText } from '../../../text/history.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { sheetHeight } from '../../panes/movement.ts'
import {
  followingLogs,
  indexOf,
  isBehind,
  lastTop,
  type LogLevel,
  logLevels,
  logsIn,
  type LogsOverlay,
  logsWindow,
  piecesOf,
  shownEntries,
  type Spot,
  topOf,
} from './lines.ts'

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

// Moves in the logs.

type Logs = LogsOverlay & { readonly behind?: ConsoleState['view']['overlay'] }

/** Scrolls by so many rows; at the end the logs are followed. */
export const moveInLogs = (state: ConsoleState, overlay: Logs, by: number): ConsoleState => {
  const entries = shownEntries(state.logs, overlay.level)
  const [height, { columns }] = [sheetHeight(state), state.view.size]
  const end = lastTop(entries, height, overlay.wrap, columns)
  const rows = (index: number): number => piecesOf(entries[index]!, overlay.wrap, columns).length
  let { index, piece } = topOf(state, overlay, height)
  if (by === Infinity) return placed(state, overlay, null)
  if (by === -Infinity) [index, piece] = [0, 0]
  else {
    for (let left = by; left > 0 && index < entries.length; left--)
      [index, piece] = piece + 1 < rows(index) ? [index, piece + 1] : [index + 1, 0]
    for (let left = by; left < 0 && (index > 0 || piece > 0); left++)
      [index, piece] = piece > 0 ? [index, piece - 1] : [index - 1, rows(index - 1) - 1]
  }
  const spot = { index, piece }
  return placed(state, overlay, by > 0 && !isBehind(end, spot) ? null : spot)
}

const placed = (state: ConsoleState, overlay: Logs, spot: Spot | null): ConsoleState => {
  const entry = spot && shownEntries(state.logs, overlay.level)[spot.index]
  return changingView(() => ({
    overlay: { ...overlay, place: spot && entry ? { seq: entry.seq, piece: spot.piece } : null },
  }))(state)
}

/**
 * Changes the filter; the line at the top stays there, unless a search result is shown, which would be scrolled away.
 */
const changed =
  (change: (overlay: Logs) => Partial<LogsOverlay>): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'logs') return state
    const next: Logs = { ...overlay, ...change(overlay) }
    const then = changingView(() => ({ overlay: next }))(state)
    if (next.place === null || next.found === null || !seesFound(state, overlay) || seesFound(then, next)) return then
    const entries = shownEntries(state.logs, next.level)
    const index = indexOf(entries, next.found)
    return entries[index]?.seq === next.found ? shownAt(then, next, index) : then
  }

const seesFound = (state: ConsoleState, overlay: Logs): boolean =>
  logsWindow(state, overlay, sheetHeight(state)).lines.some(({ cursor }) => cursor === true)

/** A third of the screen above it, so that its context is visible. */
const shownAt = (state: ConsoleState, overlay: Logs, index: number): ConsoleState => {
  const entry = shownEntries(state.logs, overlay.level)[index]!
  const found = { ...overlay, found: entry.seq, place: { seq: entry.seq, piece: 0 } }
  return moveInLogs(changingView(() => ({ overlay: found }))(state), found, -Math.floor(sheetHeight(state) / 3))
}

/** Raises the minimum level up to errors, then shows everything again. */
export const nextLevel: Transition = changed(({ level }): { level: LogLevel } => ({
  level: logLevels[(logLevels.indexOf(level) + 1) % logLevels.length]!,
}))

export const toggleWrap: Transition = changed(({ wrap, place }) => ({
  wrap: !wrap,
  place: place && { ...place, piece: 0 },
}))

/** Follows the end, or holds the present position. */
export const toggleFollow: Transition = (state) => {
  const { overlay } = state.view
  if (overlay?.kind !== 'logs') return state
  return placed(state, overlay, overlay.place === null ? topOf(state, overlay, sheetHeight(state)) : null)
}

/** The next matching line in this direction; after the last comes the first. Undefined if there is none. */
const seek = (
  state: ConsoleState,
  means: (entry: { readonly text: string; readonly trouble: boolean; readonly agent: string }) => boolean,
  by: 1 | -1,
): ConsoleState | undefined => {
  const overlay = logsIn(state)
  if (!overlay) return undefined
  const entries = shownEntries(state.logs, overlay.level)
  const height = sheetHeight(state)
  const top = topOf(state, overlay, height)
  const from = overlay.found === null ? -1 : indexOf(entries, overlay.found)
  // From the last result, if it is still visible; otherwise from the edge of the visible lines.
  const known = from !== -1 && entries[from]?.seq === overlay.found && from >= top.index && from < top.index + height
  const begin = known ? from + by : by === 1 ? top.index : Math.min(entries.length - 1, top.index + height - 1)
  for (let step = 0; step < entries.length; step++) {
    const index = (((begin + by * step) % entries.length) + entries.length) % entries.length
    if (means(entries[index]!)) return shownAt(state, overlay, index)
  }
  return undefined
}
