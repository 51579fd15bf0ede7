import { approve, integrate, reject, whyNotIntegrate, whyNotReject, whyNotYes } from './approval.ts'
import { heighten, hide, whyNotHide, whyNotTaller, whyNotWider, whyNotZoom, widen, zoom } from './comfort/arrangement.ts'
import { changeTheme, whyNotTheme } from './comfort/change-theme.ts'
import { keepSearch, openHelp, searchHelp } from './comfort/help.ts'
import { lead, whyNotLead } from './comfort/strict.ts'
import { aside, cycleShape } from './board/movement.ts'
import type { Desk } from './desk.ts'
import * as detail from './detail/presses.ts'
import { submit } from './forms.ts'
import { openCommands } from './git-commands.ts'
import * as filter from './filter/presses.ts'
import { completeFilter } from './filter/state.ts'
import { worded } from './key-words.ts'
import { liftBudget, raiseBudget, stopOverBudget, whyNotBudget } from './budget/budget.ts'
import { gaugeRows } from './gauge/keys.ts'
import * as guard from './guard.ts'
import * as inbox from './inbox/presses.ts'
import { inboxRows } from './inbox/keys.ts'
import { behindAnswer } from './inbox/settle.ts'
import { carryOut } from './intents.ts'
import { focus, focusNext, followLog, move, page, sheetHeight, toFirst, toLast } from './movement.ts'
import { back, close, open } from './overlays.ts'
import { runPicked } from './key-table.ts'
import { logRows } from './logs/keys.ts'
import { openLogs } from './logs/presses.ts'
import { turnPlots } from './plots/movement.ts'
import { plotsOverlay } from './plots/state.ts'
import { nextTab, showTab } from './memory/movement.ts'
import * as memory from './memory/presses.ts'
import { pageQuestion } from './palette/form-words.ts'
import * as palette from './palette/presses.ts'
import { openPast, pastRows } from './past/keys.ts'
import * as press from './presses.ts'
import { toFile, toHunk } from './review/movement.ts'
import * as review from './review/presses.ts'
import { find, findNext } from './review/search.ts'
import { enterCell, moveColumn, openRadar } from './radar.ts'
import { allow, always, answerWithOption, deny, denyNow, optionKeys, reply, whyNotAllow, whyNotAlways, whyNotDeny, whyNotOption, whyNotReply } from './request.ts'
import type { ConsoleState, Mode, Transition } from './state.ts'
import { looking } from './state.ts'
import { sortNext, whyNotSort } from './sorting.ts'
import type { Stroke } from './strokes.ts'
import { terminalRows } from './terminal/keys.ts'
import { undo } from './undo.ts'
import { choose, nextField, pick, rubOut, rubOutAll, rubOutWord } from './typing.ts'

/**
 * A key. Dispatch, footer, help, palette and the README's table are all made from these rows.
 * `blocked` gives the sentence why it does nothing now.
 */
export interface KeyRow {
  readonly id: string
  readonly keys: readonly Stroke[]
  /** How the keys are written on the screen. */
  readonly shown: string
  /** A word for the footer, and a sentence for the help: both from src/text/keys.ts. */
  readonly label: string
  readonly help: string
  /** Another word for the footer, where the key does something else to what is at hand. */
  readonly labelNow?: (state: ConsoleState) => string | undefined
  readonly modes: readonly Mode[]
  /** Stands in the footer of its modes. */
  readonly footer?: true
  /** Does something at once, with no question first: the strict mode wants the leader key before it. */
  readonly acts?: true
  /** Answers a question for good: its key stays where it is, and no click presses it. */
  readonly answers?: true
  readonly blocked?: (state: ConsoleState) => string | undefined
  /** `stroke`: which of its keys it was; a click and the list of commands press none. */
  readonly press: (desk: Desk, stroke?: Stroke) => void
}

const by =
  (transition: Transition) =>
  (desk: Desk): void =>
    desk.change(transition)

const lists = ['list', 'detail'] as const
// prettier-ignore
const sheets = ['list', 'detail', 'approval', 'verification', 'request', 'radar', 'guard', 'budget', 'inbox', 'commands', 'memory', 'record', 'logs', 'answer', 'plots', 'help'] as const

// A row a line: the table is read down its columns.
// prettier-ignore
export const keyRows: readonly KeyRow[] = worded([
  { id: 'spawn', keys: ['s'], shown: 's', modes: lists, acts: true, footer: true, blocked: press.whyNotSpawn, press: press.spawn },
  { id: 'retry', keys: ['r'], shown: 'r', modes: lists, acts: true, footer: true, blocked: press.whyNotRetryHere, press: press.retry },
  { id: 'integrate', keys: ['i'], shown: 'i', modes: ['list', 'detail', 'approval'], acts: true, footer: true, blocked: whyNotIntegrate, press: integrate },
  { id: 'abort', keys: ['x'], shown: 'x', modes: lists, footer: true, blocked: press.whyNotAbort, press: press.abort },
  { id: 'discard', keys: ['d'], shown: 'd', modes: lists, blocked: press.whyNotDiscard, press: press.discard },
  { id: 'new', keys: ['n'], shown: 'n', modes: lists, footer: true, press: press.newTask },
  { id: 'next', keys: ['w'], shown: 'w', modes: ['list', 'detail', 'request', 'guard', 'budget'], footer: true, blocked: press.whyNotNext, press: press.nextWaiting },
  { id: 'inbox', keys: ['W'], shown: 'W', modes: ['list', 'detail', 'request', 'guard', 'budget'], blocked: inbox.whyNotInbox, press: (desk) => inbox.openInbox(desk) },
  { id: 'open', keys: ['enter'], shown: 'enter', modes: ['list'], footer: true, blocked: press.whyNothingToOpen, press: press.openDetail },
  { id: 'pause', keys: ['p'], shown: 'p', modes: ['list'], acts: true, blocked: press.whyNotPause, press: press.pause },
  { id: 'follow', keys: ['f'], shown: 'f', modes: ['list'], press: by(followLog) },
  { id: 'shell', keys: ['o'], shown: 'o', modes: lists, acts: true, blocked: press.whyNoFolder, press: press.openShell },
  { id: 'editor', keys: ['e'], shown: 'e', modes: lists, acts: true, blocked: press.whyNoFolder, press: press.openEditor },
  { id: 'radar', keys: ['C'], shown: 'C', modes: lists, press: openRadar },
  { id: 'shape', keys: ['b'], shown: 'b', modes: ['list'], press: by(cycleShape) },
  { id: 'sort', keys: ['S'], shown: 'S', modes: ['list'], blocked: whyNotSort, press: sortNext },
  { id: 'filter', keys: ['/'], shown: '/', modes: ['list'], footer: true, press: by(looking(({ filter }) => ({ pane: 'board', about: 'board', overlay: { kind: 'filter', text: filter } }))) },
  { id: 'undo', keys: ['z'], shown: 'z', modes: lists, acts: true, press: undo },
  { id: 'guard', keys: ['!'], shown: '!', modes: lists, blocked: guard.whyNotGuard, press: (desk) => guard.openGuard(desk) },
  { id: 'commands', keys: ['@'], shown: '@', modes: ['list', 'detail', 'approval', 'commands'], press: openCommands },
  { id: 'memory', keys: ['m'], shown: 'm', modes: lists, footer: true, press: memory.openMemory },
  { id: 'logs', keys: ['L'], shown: 'L', modes: lists, press: (desk) => openLogs(desk) },
  { id: 'past', keys: ['T'], shown: 'T', modes: lists, press: openPast },
  { id: 'trail', keys: ['t'], shown: 't', modes: lists, blocked: memory.whyNotTrail, press: memory.openTrail },
  { id: 'plots', keys: ['P'], shown: 'P', modes: lists, press: by(open(plotsOverlay)) },
  { id: 'palette', keys: [':'], shown: ':', modes: sheets, footer: true, press: by(open({ kind: 'palette', text: '', at: 0 })) },
  { id: 'help', keys: ['?'], shown: '?', modes: ['list', 'detail', 'approval', 'verification', 'request', 'radar', 'guard', 'budget', 'inbox', 'commands', 'memory', 'record', 'logs', 'past', 'plots'], footer: true, press: (desk) => openHelp(desk) },
  { id: 'quit', keys: ['q', 'ctrl-c'], shown: 'q', modes: [...sheets, 'past'], footer: true, press: (desk) => desk.quit() },
  { id: 'interrupt', keys: ['ctrl-c'], shown: 'ctrl-c', modes: ['confirm', 'palette', 'filter', 'filters', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: (desk) => desk.quit() },

  { id: 'board', keys: ['1'], shown: '1', modes: ['list'], press: by(focus('board')) },
  { id: 'agents', keys: ['2'], shown: '2', modes: ['list'], press: by(focus('agents')) },
  { id: 'log', keys: ['3'], shown: '3', modes: ['list'], press: by(focus('log')) },
  { id: 'worktrees', keys: ['4'], shown: '4', modes: ['list'], press: by(focus('worktrees')) },
  { id: 'next-pane', keys: ['tab'], shown: 'tab', modes: ['list'], press: by(focusNext(1)) },
  { id: 'previous-pane', keys: ['shift-tab'], shown: 'shift-tab', modes: ['list'], press: by(focusNext(-1)) },
  { id: 'right', keys: ['right', 'l'], shown: 'l →', modes: ['list'], press: by(aside(1)) },
  { id: 'left', keys: ['left', 'h'], shown: 'h ←', modes: ['list'], press: by(aside(-1)) },
  { id: 'down', keys: ['j', 'down'], shown: 'j ↓', modes: sheets, press: by(move(1)) },
  { id: 'up', keys: ['k', 'up'], shown: 'k ↑', modes: sheets, press: by(move(-1)) },
  { id: 'first', keys: ['g', 'home'], shown: 'g', modes: sheets, press: by(toFirst) },
  { id: 'last', keys: ['G', 'end'], shown: 'G', modes: sheets, press: by(toLast) },
  { id: 'page-down', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', modes: sheets, press: by(page(1)) },
  { id: 'page-up', keys: ['page-up', 'ctrl-u'], shown: 'pgup', modes: sheets, press: by(page(-1)) },
  { id: 'back', keys: ['escape'], shown: 'esc', modes: ['list', 'help-search', 'filters', 'detail', 'help', 'palette', 'form', 'search', 'approval', 'verification', 'request', 'radar', 'inbox', 'guard', 'budget', 'commands', 'memory', 'memory-search', 'logs', 'log-search', 'past', 'record', 'answer', 'plots'], press: by(back) },
  { id: 'close', keys: ['enter'], shown: 'enter', modes: ['detail', 'help', 'verification', 'commands', 'record', 'answer'], press: by(close) },

  { id: 'zoom', keys: ['+'], shown: '+', modes: ['list'], blocked: whyNotZoom, press: by(zoom) },
  { id: 'hide', keys: ['-'], shown: '-', modes: ['list'], blocked: whyNotHide, press: by(hide) },
  { id: 'wider', keys: ['>'], shown: '>', modes: ['list'], blocked: whyNotWider(1), press: by(widen(1)) },
  { id: 'narrower', keys: ['<'], shown: '<', modes: ['list'], blocked: whyNotWider(-1), press: by(widen(-1)) },
  { id: 'taller', keys: ['}'], shown: '}', modes: ['list'], blocked: whyNotTaller(1), press: by(heighten(1)) },
  { id: 'lower', keys: ['{'], shown: '{', modes: ['list'], blocked: whyNotTaller(-1), press: by(heighten(-1)) },
  { id: 'theme', keys: ['ctrl-t'], shown: 'ctrl-t', modes: sheets, blocked: whyNotTheme, press: changeTheme },
  { id: 'leader', keys: ['ctrl-x'], shown: 'ctrl-x', modes: [...sheets, 'confirm', 'form'], blocked: (state) => whyNotLead(state), press: (desk) => lead(desk) },

  { id: 'search-help', keys: ['/'], shown: '/', modes: ['help'], footer: true, press: (desk) => searchHelp(desk) },
  { id: 'keep-search', keys: ['enter'], shown: 'enter', modes: ['help-search'], footer: true, press: (desk) => desk.change(keepSearch) },

  { id: 'next-section', keys: [']'], shown: ']', modes: ['detail'], footer: true, blocked: detail.whyNoSection, press: detail.toSection(1) },
  { id: 'previous-section', keys: ['['], shown: '[', modes: ['detail'], blocked: detail.whyNoSection, press: detail.toSection(-1) },
  { id: 'fold-section', keys: [' '], shown: 'space', modes: ['detail'], footer: true, blocked: detail.whyNoSection, press: detail.foldSection },

  { id: 'approve', keys: ['y'], shown: 'y', modes: ['approval'], answers: true, footer: true, blocked: whyNotYes, press: approve },
  { id: 'reject', keys: ['n'], shown: 'n', modes: ['approval'], footer: true, blocked: whyNotReject, press: reject },
  { id: 'comment', keys: ['c'], shown: 'c', modes: ['approval'], footer: true, blocked: review.whyNotComment, press: review.comment },
  { id: 'uncomment', keys: ['x'], shown: 'x', modes: ['approval'], blocked: review.whyNotUncomment, press: review.uncomment },
  { id: 'send', keys: ['S'], shown: 'S', modes: ['approval'], footer: true, blocked: review.whyNotSend, press: review.send },
  { id: 'next-file', keys: [']'], shown: ']', modes: ['approval'], footer: true, press: by(toFile(1, sheetHeight)) },
  { id: 'previous-file', keys: ['['], shown: '[', modes: ['approval'], press: by(toFile(-1, sheetHeight)) },
  { id: 'next-hunk', keys: ['}'], shown: '}', modes: ['approval'], footer: true, press: by(toHunk(1, sheetHeight)) },
  { id: 'previous-hunk', keys: ['{'], shown: '{', modes: ['approval'], press: by(toHunk(-1, sheetHeight)) },
  { id: 'fold', keys: ['enter', ' '], shown: 'enter', modes: ['approval'], footer: true, blocked: review.whyNotFold, press: review.fold },
  { id: 'search', keys: ['/'], shown: '/', modes: ['approval'], footer: true, press: review.openSearch },
  { id: 'next-match', keys: ['>'], shown: '>', modes: ['approval'], press: findNext(1) },
  { id: 'previous-match', keys: ['<'], shown: '<', modes: ['approval'], press: findNext(-1) },
  { id: 'output', keys: ['L'], shown: 'L', modes: ['approval'], footer: true, blocked: review.whyNotOutput, press: review.openOutput },

  { id: 'allow', keys: ['y'], shown: 'y', modes: ['request'], answers: true, footer: true, blocked: whyNotAllow, press: allow },
  { id: 'deny', keys: ['n'], shown: 'n', modes: ['request'], answers: true, footer: true, blocked: whyNotDeny, labelNow: denyNow, press: deny },
  { id: 'always', keys: ['a'], shown: 'a', modes: ['request'], answers: true, footer: true, blocked: whyNotAlways, press: always },
  { id: 'option', keys: optionKeys, shown: '1–9', modes: ['request'], answers: true, footer: true, blocked: whyNotOption, press: answerWithOption },
  { id: 'reply', keys: ['enter'], shown: 'enter', modes: ['request'], footer: true, blocked: whyNotReply, press: reply },

  ...inboxRows,

  { id: 'next-column', keys: ['right', 'l'], shown: 'l →', modes: ['radar'], footer: true, press: by(moveColumn(1)) },
  { id: 'previous-column', keys: ['left', 'h'], shown: 'h ←', modes: ['radar'], press: by(moveColumn(-1)) },
  { id: 'pair', keys: ['enter'], shown: 'enter', modes: ['radar'], footer: true, press: enterCell },

  { id: 'working-memory', keys: ['1'], shown: '1', modes: ['memory'], press: by(showTab('working')) },
  { id: 'decisions', keys: ['2'], shown: '2', modes: ['memory'], press: by(showTab('decisions')) },
  { id: 'timeline', keys: ['3'], shown: '3', modes: ['memory'], press: by(showTab('timeline')) },
  { id: 'conversations', keys: ['4'], shown: '4', modes: ['memory'], press: by(showTab('conversations')) },
  { id: 'next-memory', keys: ['tab', 'right'], shown: 'tab', modes: ['memory'], footer: true, press: by(nextTab(1)) },
  { id: 'previous-memory', keys: ['shift-tab', 'left'], shown: 'shift-tab', modes: ['memory'], press: by(nextTab(-1)) },
  { id: 'open-record', keys: ['enter'], shown: 'enter', modes: ['memory'], footer: true, blocked: memory.whyNotRecord, press: memory.openRecord },
  { id: 'search-memory', keys: ['/'], shown: '/', modes: ['memory'], footer: true, press: memory.typeSearch },
  { id: 'seek', keys: ['enter'], shown: 'enter', modes: ['memory-search'], footer: true, press: memory.search },

  { id: 'next-plot', keys: ['tab', 'right', 'l'], shown: 'tab', modes: ['plots'], footer: true, press: by(turnPlots(1)) },
  { id: 'previous-plot', keys: ['shift-tab', 'left', 'h'], shown: 'shift-tab', modes: ['plots'], press: by(turnPlots(-1)) },

  ...gaugeRows,
  ...terminalRows,

  ...logRows,

  ...pastRows,

  { id: 'trust', keys: ['y'], shown: 'y', modes: ['guard'], answers: true, footer: true, press: guard.trust },

  { id: 'raise-budget', keys: ['y'], shown: 'y', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: raiseBudget },
  { id: 'lift-budget', keys: ['a'], shown: 'a', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: liftBudget },
  { id: 'stop-over-budget', keys: ['x'], shown: 'x', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: stopOverBudget },

  { id: 'yes', keys: ['y'], shown: 'y', modes: ['confirm'], answers: true, footer: true, press: confirm },
  { id: 'no', keys: ['n', 'escape', 'q'], shown: 'n esc', modes: ['confirm'], footer: true, press: by(close) },

  { id: 'submit', keys: ['enter'], shown: 'enter', modes: ['form'], acts: true, footer: true, press: submitForm },
  { id: 'next-field', keys: ['tab', 'down'], shown: 'tab ↓', modes: ['form'], footer: true, press: by(nextField(1)) },
  { id: 'previous-field', keys: ['shift-tab', 'up'], shown: 'shift-tab ↑', modes: ['form'], press: by(nextField(-1)) },
  { id: 'next-option', keys: ['right'], shown: '→', modes: ['form'], footer: true, press: by(choose(1)) },
  { id: 'previous-option', keys: ['left'], shown: '←', modes: ['form'], press: by(choose(-1)) },

  { id: 'read-on', keys: ['page-down'], shown: 'pgdn', modes: ['form'], press: by(pageQuestion(1)) },
  { id: 'read-back', keys: ['page-up'], shown: 'pgup', modes: ['form'], press: by(pageQuestion(-1)) },
  { id: 'copy-line', keys: ['ctrl-y'], shown: 'ctrl-y', modes: ['form'], blocked: palette.whyNotCopy, press: palette.copyLine },

  { id: 'keep-filter', keys: ['enter'], shown: 'enter', modes: ['filter'], footer: true, press: filter.keepFilter },
  { id: 'complete-filter', keys: ['tab'], shown: 'tab', modes: ['filter'], footer: true, press: by(completeFilter(1)) },
  { id: 'complete-back', keys: ['shift-tab'], shown: 'shift-tab', modes: ['filter'], press: by(completeFilter(-1)) },
  { id: 'saved-filters', keys: ['down'], shown: '↓', modes: ['filter'], footer: true, blocked: filter.whyNotSaved, press: filter.openSaved },
  { id: 'save-filter', keys: ['ctrl-s'], shown: 'ctrl-s', modes: ['filter'], footer: true, blocked: filter.whyNotSave, press: filter.saveFilter },
  { id: 'take-filter', keys: ['enter'], shown: 'enter', modes: ['filters'], footer: true, press: filter.takeSaved },
  { id: 'next-filter', keys: ['j', 'down'], shown: 'j ↓', modes: ['filters'], press: by(move(1)) },
  { id: 'previous-filter', keys: ['k', 'up'], shown: 'k ↑', modes: ['filters'], press: by(move(-1)) },
  { id: 'forget-filter', keys: ['d'], shown: 'd', modes: ['filters'], footer: true, press: filter.forgetSaved },
  { id: 'clear-filter', keys: ['escape'], shown: 'esc', modes: ['filter'], footer: true, press: by(back) },

  { id: 'find', keys: ['enter'], shown: 'enter', modes: ['search'], footer: true, press: find },

  { id: 'run', keys: ['enter'], shown: 'enter', modes: ['palette'], footer: true, press: (desk) => runPicked(desk) },
  { id: 'next-command', keys: ['down', 'tab'], shown: '↓', modes: ['palette'], footer: true, press: by(pick(1)) },
  { id: 'previous-command', keys: ['up', 'shift-tab'], shown: '↑', modes: ['palette'], footer: true, press: by(pick(-1)) },
  { id: 'rub-out', keys: ['backspace'], shown: 'backspace', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOut) },
  { id: 'rub-out-word', keys: ['ctrl-w'], shown: 'ctrl-w', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOutWord) },
  { id: 'rub-out-all', keys: ['ctrl-u'], shown: 'ctrl-u', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOutAll) },
])

function confirm(desk: Desk): void {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'confirm') return
  desk.change(behindAnswer(undefined, desk.connection.core.clock()))
  carryOut(desk, overlay.intent)
}

function submitForm(desk: Desk): void {
  const { overlay } = desk.state().view
  if (overlay?.kind === 'form') submit(desk, overlay.form)
}
