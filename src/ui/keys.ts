import { approve, integrate, reject, whyNotIntegrate, whyNotReject, whyNotYes } from './approval.ts'
import { heighten, hide, whyNotHide, whyNotTaller, whyNotWider, widen, zoom } from './comfort/arrangement.ts'
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
import { liftBudget, raiseBudget, stopOverBudget, whyNotBudget } from './budget/budget.ts'
import { gaugeRows } from './gauge/keys.ts'
import * as guard from './guard.ts'
import * as inbox from './inbox/presses.ts'
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
import * as palette from './palette/presses.ts'
import { pastRows } from './past/keys.ts'
import * as press from './presses.ts'
import { toFile, toHunk } from './review/movement.ts'
import * as review from './review/presses.ts'
import { find, findNext } from './review/search.ts'
import { enterCell, moveColumn, openRadar } from './radar.ts'
import { allow, always, deny, reply, whyNotAllow, whyNotAlways, whyNotDeny, whyNotReply } from './request.ts'
import type { ConsoleState, Mode, Transition } from './state.ts'
import { looking } from './state.ts'
import { sortNext, whyNotSort } from './sorting.ts'
import type { Stroke } from './strokes.ts'
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
  /** A word for the footer. */
  readonly label: string
  /** A sentence for the help. */
  readonly help: string
  readonly modes: readonly Mode[]
  /** Stands in the footer of its modes. */
  readonly footer?: true
  /** Does something at once, with no question first: the strict mode wants the leader key before it. */
  readonly acts?: true
  /** Answers a question for good: its key stays where it is, and no click presses it. */
  readonly answers?: true
  readonly blocked?: (state: ConsoleState) => string | undefined
  readonly press: (desk: Desk) => void
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
export const keyRows: readonly KeyRow[] = [
  { id: 'spawn', keys: ['s'], shown: 's', label: 'spawn', help: 'Start an agent for the selected task; on other panes: one that works off the board', modes: lists, acts: true, footer: true, blocked: press.whyNotSpawn, press: press.spawn },
  { id: 'retry', keys: ['r'], shown: 'r', label: 'retry', help: 'Put a failed task back on the board, or end its wait', modes: lists, acts: true, footer: true, blocked: press.whyNotRetryHere, press: press.retry },
  { id: 'integrate', keys: ['i'], shown: 'i', label: 'integrate', help: 'Ask for the integration of the worktree and look at it before approving', modes: ['list', 'detail', 'approval'], acts: true, footer: true, blocked: whyNotIntegrate, press: integrate },
  { id: 'abort', keys: ['x'], shown: 'x', label: 'abort', help: 'Cancel the selected task or terminate the selected agent; asks first', modes: lists, footer: true, blocked: press.whyNotAbort, press: press.abort },
  { id: 'discard', keys: ['d'], shown: 'd', label: 'discard', help: 'Give a worktree up; asks for a reason, then once more', modes: lists, blocked: press.whyNotDiscard, press: press.discard },
  { id: 'new', keys: ['n'], shown: 'n', label: 'new', help: 'Put a new task on the board', modes: lists, footer: true, press: press.newTask },
  { id: 'next', keys: ['w'], shown: 'w', label: 'waiting', help: 'Go to the next thing that waits for you', modes: ['list'], footer: true, blocked: press.whyNotNext, press: press.nextWaiting },
  { id: 'inbox', keys: ['W'], shown: 'W', label: 'inbox', help: 'List everything that waits for you, and answer it there', modes: lists, blocked: inbox.whyNotInbox, press: inbox.openInbox },
  { id: 'open', keys: ['enter'], shown: 'enter', label: 'open', help: 'Open what is selected', modes: ['list'], footer: true, blocked: press.whyNothingToOpen, press: press.openDetail },
  { id: 'pause', keys: ['p'], shown: 'p', label: 'pause', help: 'Start nothing more by itself, or go on', modes: ['list'], acts: true, blocked: press.whyNotPause, press: press.pause },
  { id: 'follow', keys: ['f'], shown: 'f', label: 'follow', help: 'Follow the log, or hold it', modes: ['list'], press: by(followLog) },
  { id: 'shell', keys: ['o'], shown: 'o', label: 'shell', help: 'Open a shell in the worktree', modes: lists, acts: true, press: press.openShell },
  { id: 'editor', keys: ['e'], shown: 'e', label: 'editor', help: 'Open your editor on the worktree', modes: lists, acts: true, press: press.openEditor },
  { id: 'radar', keys: ['C'], shown: 'C', label: 'conflicts', help: 'Show which worktrees conflict with which, and in what order they had best land', modes: lists, press: openRadar },
  { id: 'shape', keys: ['b'], shown: 'b', label: 'shape', help: 'Show the board as columns by state, as a tree of what depends on what with its critical path, as a list again', modes: ['list'], press: by(cycleShape) },
  { id: 'sort', keys: ['S'], shown: 'S', label: 'sort', help: 'Sort the pane by its next column, and behind the last put it in its fixed order again', modes: ['list'], blocked: whyNotSort, press: sortNext },
  { id: 'filter', keys: ['/'], shown: '/', label: 'filter', help: 'Show only tasks that meet a filter, such as: login state:failed persona:tester age>10m', modes: ['list'], footer: true, press: by(looking(({ filter }) => ({ pane: 'board', about: 'board', overlay: { kind: 'filter', text: filter } }))) },
  { id: 'undo', keys: ['z'], shown: 'z', label: 'undo', help: 'Take the last integration back, or the selected one: a worktree with its revert, to be looked at and approved', modes: lists, acts: true, press: undo },
  { id: 'guard', keys: ['!'], shown: '!', label: 'trust', help: "Show what has changed in the repository's configuration, hooks and attributes, and accept it", modes: lists, blocked: guard.whyNotGuard, press: guard.openGuard },
  { id: 'commands', keys: ['@'], shown: '@', label: 'git', help: 'Show the git commands that aiswarm ran; again: the latest', modes: ['list', 'detail', 'approval', 'commands'], press: openCommands },
  { id: 'memory', keys: ['m'], shown: 'm', label: 'memory', help: 'Show what the swarm remembers: working memories, decisions, timeline, conversations', modes: lists, footer: true, press: memory.openMemory },
  { id: 'logs', keys: ['L'], shown: 'L', label: 'logs', help: 'Show the logs of all agents as one, by time: notes and what their processes print', modes: lists, press: (desk) => openLogs(desk) },
  { id: 'past', keys: ['T'], shown: 'T', label: 'timeline', help: 'Go through the past of the session: every moment of its event log, drawn as the present is', modes: lists, press: (desk) => desk.change(open({ kind: 'past', at: Infinity, playing: false, row: 0 })) },
  { id: 'trail', keys: ['t'], shown: 't', label: 'trail', help: 'Show what was said and done in every attempt of the task', modes: lists, blocked: memory.whyNotTrail, press: memory.openTrail },
  { id: 'plots', keys: ['P'], shown: 'P', label: 'plots', help: 'Draw the session: what was completed and failed, tokens and cost over time, a burn-down, the attempts of each agent', modes: lists, press: by(open(plotsOverlay)) },
  { id: 'palette', keys: [':'], shown: ':', label: 'commands', help: 'Find a command by its name: what a key does, or anything of the command line', modes: sheets, footer: true, press: by(open({ kind: 'palette', text: '', at: 0 })) },
  { id: 'help', keys: ['?'], shown: '?', label: 'help', help: 'Show what every key does', modes: ['list', 'detail', 'approval', 'verification', 'request', 'radar', 'guard', 'budget', 'inbox', 'commands', 'memory', 'record', 'logs', 'past', 'plots'], footer: true, press: (desk) => openHelp(desk) },
  { id: 'quit', keys: ['q', 'ctrl-c'], shown: 'q', label: 'quit', help: 'Leave the console; agents go on', modes: [...sheets, 'past'], footer: true, press: (desk) => desk.quit() },
  { id: 'interrupt', keys: ['ctrl-c'], shown: 'ctrl-c', label: 'quit', help: 'Leave the console from anywhere', modes: ['confirm', 'palette', 'filter', 'filters', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: (desk) => desk.quit() },

  { id: 'board', keys: ['1'], shown: '1', label: 'board', help: 'Go to the board', modes: ['list'], press: by(focus('board')) },
  { id: 'agents', keys: ['2'], shown: '2', label: 'agents', help: 'Go to the agents', modes: ['list'], press: by(focus('agents')) },
  { id: 'log', keys: ['3'], shown: '3', label: 'log', help: 'Go to the log', modes: ['list'], press: by(focus('log')) },
  { id: 'worktrees', keys: ['4'], shown: '4', label: 'worktrees', help: 'Go to the worktrees', modes: ['list'], press: by(focus('worktrees')) },
  { id: 'next-pane', keys: ['tab'], shown: 'tab', label: 'pane', help: 'Go to the next pane', modes: ['list'], press: by(focusNext(1)) },
  { id: 'previous-pane', keys: ['shift-tab'], shown: 'shift-tab', label: 'pane', help: 'Go to the previous pane', modes: ['list'], press: by(focusNext(-1)) },
  { id: 'right', keys: ['right', 'l'], shown: 'l →', label: 'right', help: 'On a board in columns to the column to the right, else to the next pane', modes: ['list'], press: by(aside(1)) },
  { id: 'left', keys: ['left', 'h'], shown: 'h ←', label: 'left', help: 'On a board in columns to the column to the left, else to the previous pane', modes: ['list'], press: by(aside(-1)) },
  { id: 'down', keys: ['j', 'down'], shown: 'j ↓', label: 'down', help: 'One row down', modes: sheets, press: by(move(1)) },
  { id: 'up', keys: ['k', 'up'], shown: 'k ↑', label: 'up', help: 'One row up', modes: sheets, press: by(move(-1)) },
  { id: 'first', keys: ['g', 'home'], shown: 'g', label: 'first', help: 'To the first row', modes: sheets, press: by(toFirst) },
  { id: 'last', keys: ['G', 'end'], shown: 'G', label: 'last', help: 'To the last row', modes: sheets, press: by(toLast) },
  { id: 'page-down', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', label: 'page', help: 'A page down', modes: sheets, press: by(page(1)) },
  { id: 'page-up', keys: ['page-up', 'ctrl-u'], shown: 'pgup', label: 'page', help: 'A page up', modes: sheets, press: by(page(-1)) },
  { id: 'back', keys: ['escape'], shown: 'esc', label: 'back', help: 'Go back; on the panes: show all tasks again', modes: ['list', 'help-search', 'filters', 'detail', 'help', 'palette', 'form', 'search', 'approval', 'verification', 'request', 'radar', 'inbox', 'guard', 'budget', 'commands', 'memory', 'memory-search', 'logs', 'log-search', 'past', 'record', 'answer', 'plots'], press: by(back) },
  { id: 'close', keys: ['enter'], shown: 'enter', label: 'back', help: 'Go back', modes: ['detail', 'help', 'verification', 'commands', 'record', 'answer'], press: by(close) },

  { id: 'zoom', keys: ['+'], shown: '+', label: 'zoom', help: 'Show only the pane that has the focus, or all of them again', modes: ['list'], press: by(zoom) },
  { id: 'hide', keys: ['-'], shown: '-', label: 'hide', help: 'Hide the pane; pressed again, or its number: it comes back', modes: ['list'], blocked: whyNotHide, press: by(hide) },
  { id: 'wider', keys: ['>'], shown: '>', label: 'wider', help: 'Make the pane wider', modes: ['list'], blocked: whyNotWider, press: by(widen(1)) },
  { id: 'narrower', keys: ['<'], shown: '<', label: 'narrower', help: 'Make the pane narrower', modes: ['list'], blocked: whyNotWider, press: by(widen(-1)) },
  { id: 'taller', keys: ['}'], shown: '}', label: 'taller', help: 'Make the pane taller', modes: ['list'], blocked: whyNotTaller, press: by(heighten(1)) },
  { id: 'lower', keys: ['{'], shown: '{', label: 'lower', help: 'Make the pane lower', modes: ['list'], blocked: whyNotTaller, press: by(heighten(-1)) },
  { id: 'theme', keys: ['ctrl-t'], shown: 'ctrl-t', label: 'theme', help: 'Go through the themes: as the terminal, dark, light, high contrast, without colours', modes: sheets, blocked: whyNotTheme, press: changeTheme },
  { id: 'leader', keys: ['ctrl-x'], shown: 'ctrl-x', label: 'leader', help: 'In the strict mode: let the next key act', modes: [...sheets, 'confirm'], blocked: (state) => whyNotLead(state), press: (desk) => lead(desk) },

  { id: 'search-help', keys: ['/'], shown: '/', label: 'search', help: 'Show only the keys with these words', modes: ['help'], footer: true, press: (desk) => searchHelp(desk) },
  { id: 'keep-search', keys: ['enter'], shown: 'enter', label: 'keep', help: 'Keep these keys', modes: ['help-search'], footer: true, press: (desk) => desk.change(keepSearch) },

  { id: 'next-section', keys: [']'], shown: ']', label: 'section', help: 'To the next section', modes: ['detail'], footer: true, blocked: detail.whyNoSection, press: detail.toSection(1) },
  { id: 'previous-section', keys: ['['], shown: '[', label: 'section', help: 'To the section before', modes: ['detail'], blocked: detail.whyNoSection, press: detail.toSection(-1) },
  { id: 'fold-section', keys: [' '], shown: 'space', label: 'fold', help: 'Open the section, or fold it; what it shows is read once it is opened', modes: ['detail'], footer: true, blocked: detail.whyNoSection, press: detail.foldSection },

  { id: 'approve', keys: ['y'], shown: 'y', label: 'approve', help: 'Let exactly the commits that are shown into the target', modes: ['approval'], answers: true, footer: true, blocked: whyNotYes, press: approve },
  { id: 'reject', keys: ['n'], shown: 'n', label: 'reject', help: 'Turn the integration down; asks for a reason', modes: ['approval'], footer: true, blocked: whyNotReject, press: reject },
  { id: 'comment', keys: ['c'], shown: 'c', label: 'comment', help: 'Comment on the line under the cursor, or on the file of which it is the name', modes: ['approval'], footer: true, blocked: review.whyNotComment, press: review.comment },
  { id: 'uncomment', keys: ['x'], shown: 'x', label: 'take back', help: 'Take the comment under the cursor back', modes: ['approval'], blocked: review.whyNotUncomment, press: review.uncomment },
  { id: 'send', keys: ['S'], shown: 'S', label: 'send', help: 'Send all comments back as one task for the same worktree; asks first', modes: ['approval'], footer: true, blocked: review.whyNotSend, press: review.send },
  { id: 'next-file', keys: [']'], shown: ']', label: 'file', help: 'To the next file', modes: ['approval'], footer: true, press: by(toFile(1, sheetHeight)) },
  { id: 'previous-file', keys: ['['], shown: '[', label: 'file', help: 'To the name of the file, then to the file before', modes: ['approval'], press: by(toFile(-1, sheetHeight)) },
  { id: 'next-hunk', keys: ['}'], shown: '}', label: 'hunk', help: 'To the next changed place', modes: ['approval'], footer: true, press: by(toHunk(1, sheetHeight)) },
  { id: 'previous-hunk', keys: ['{'], shown: '{', label: 'hunk', help: 'To the changed place before', modes: ['approval'], press: by(toHunk(-1, sheetHeight)) },
  { id: 'fold', keys: ['enter', ' '], shown: 'enter', label: 'fold', help: 'Fold the file or open it; from the list of files go to it', modes: ['approval'], footer: true, blocked: review.whyNotFold, press: review.fold },
  { id: 'search', keys: ['/'], shown: '/', label: 'search', help: 'Look for words in names and lines', modes: ['approval'], footer: true, press: review.openSearch },
  { id: 'next-match', keys: ['>'], shown: '>', label: 'next', help: 'To where the words stand next', modes: ['approval'], press: findNext(1) },
  { id: 'previous-match', keys: ['<'], shown: '<', label: 'previous', help: 'To where the words stand before', modes: ['approval'], press: findNext(-1) },
  { id: 'output', keys: ['L'], shown: 'L', label: 'output', help: 'Show all that the verification printed', modes: ['approval'], footer: true, blocked: review.whyNotOutput, press: review.openOutput },

  { id: 'allow', keys: ['y'], shown: 'y', label: 'allow', help: 'Let the agent do what is shown, this once', modes: ['request'], answers: true, footer: true, blocked: whyNotAllow, press: allow },
  { id: 'deny', keys: ['n'], shown: 'n', label: 'deny', help: 'Deny what is shown; a question is left to the agent', modes: ['request'], answers: true, footer: true, blocked: whyNotDeny, press: deny },
  { id: 'always', keys: ['a'], shown: 'a', label: 'always', help: 'Allow it and its like from now on, by a rule in the configuration', modes: ['request'], answers: true, footer: true, blocked: whyNotAlways, press: always },
  { id: 'reply', keys: ['enter'], shown: 'enter', label: 'answer', help: 'Answer the question in words', modes: ['request'], footer: true, blocked: whyNotReply, press: reply },

  { id: 'item-open', keys: ['enter'], shown: 'enter', label: 'open', help: 'Show all of what is asked, or answer a question in words', modes: ['inbox'], footer: true, blocked: inbox.whyNotOpen, press: inbox.openHere },
  { id: 'item-yes', keys: ['y'], shown: 'y', label: 'allow', help: 'Allow it once, or all that is marked after a question', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotYes, press: inbox.yes },
  { id: 'item-no', keys: ['n'], shown: 'n', label: 'deny', help: 'Deny it, or all that is marked; a question is left to the agent', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotNo, press: inbox.no },
  { id: 'item-always', keys: ['a'], shown: 'a', label: 'always', help: 'Allow it and its like from now on', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotAlways, press: inbox.always },
  { id: 'item-retry', keys: ['r'], shown: 'r', label: 'retry', help: 'Put the failed task back on the board, or all that are marked', modes: ['inbox'], acts: true, footer: true, blocked: inbox.whyNotRetry, press: inbox.retry },
  { id: 'item-integrate', keys: ['i'], shown: 'i', label: 'integrate', help: 'Look at the integration before approving it', modes: ['inbox'], footer: true, blocked: inbox.whyNotIntegrate, press: inbox.integrateHere },
  { id: 'item-mark', keys: [' '], shown: 'space', label: 'mark', help: 'Mark it, to be answered together with its like', modes: ['inbox'], footer: true, blocked: inbox.whyNotMark, press: by(inbox.mark) },
  { id: 'item-alike', keys: ['*'], shown: '*', label: 'all alike', help: 'Mark all that are like it: of the same kind and by the same rule, tool or persona', modes: ['inbox'], footer: true, blocked: inbox.whyNotMark, press: by(inbox.markAlike) },

  { id: 'next-column', keys: ['right', 'l'], shown: 'l →', label: 'column', help: 'One column to the right', modes: ['radar'], footer: true, press: by(moveColumn(1)) },
  { id: 'previous-column', keys: ['left', 'h'], shown: 'h ←', label: 'column', help: 'One column to the left', modes: ['radar'], press: by(moveColumn(-1)) },
  { id: 'pair', keys: ['enter'], shown: 'enter', label: 'files', help: 'Show in which files a pair conflicts; in the order go to the worktree', modes: ['radar'], footer: true, press: enterCell },

  { id: 'working-memory', keys: ['1'], shown: '1', label: 'working', help: 'Show the working memory of every agent', modes: ['memory'], press: by(showTab('working')) },
  { id: 'decisions', keys: ['2'], shown: '2', label: 'decisions', help: 'Show the decisions and how they relate', modes: ['memory'], press: by(showTab('decisions')) },
  { id: 'timeline', keys: ['3'], shown: '3', label: 'timeline', help: 'Show the timeline, newest first', modes: ['memory'], press: by(showTab('timeline')) },
  { id: 'conversations', keys: ['4'], shown: '4', label: 'conversations', help: 'Show what was said, newest first; ✓ and ✗ mark those that an execution belongs to', modes: ['memory'], press: by(showTab('conversations')) },
  { id: 'next-memory', keys: ['tab', 'right'], shown: 'tab', label: 'next', help: 'Show the next memory', modes: ['memory'], footer: true, press: by(nextTab(1)) },
  { id: 'previous-memory', keys: ['shift-tab', 'left'], shown: 'shift-tab', label: 'previous', help: 'Show the memory before', modes: ['memory'], press: by(nextTab(-1)) },
  { id: 'open-record', keys: ['enter'], shown: 'enter', label: 'open', help: 'Open what is selected; of a conversation what was done as well', modes: ['memory'], footer: true, blocked: memory.whyNotRecord, press: memory.openRecord },
  { id: 'search-memory', keys: ['/'], shown: '/', label: 'search', help: 'Look for words in all memories and in the task logs', modes: ['memory'], footer: true, press: memory.typeSearch },
  { id: 'seek', keys: ['enter'], shown: 'enter', label: 'search', help: 'Look for what was typed', modes: ['memory-search'], footer: true, press: memory.search },

  { id: 'next-plot', keys: ['tab', 'right', 'l'], shown: 'tab', label: 'part', help: 'One part of the plots in all the room there is; at last all of them again', modes: ['plots'], footer: true, press: by(turnPlots(1)) },
  { id: 'previous-plot', keys: ['shift-tab', 'left', 'h'], shown: 'shift-tab', label: 'part', help: 'The part before', modes: ['plots'], press: by(turnPlots(-1)) },

  ...gaugeRows,

  ...logRows,

  ...pastRows,

  { id: 'trust', keys: ['y'], shown: 'y', label: 'accept', help: 'Accept exactly the lines that are shown', modes: ['guard'], answers: true, footer: true, press: guard.trust },

  { id: 'raise-budget', keys: ['y'], shown: 'y', label: 'raise', help: 'Raise the budget by as much as it was at first and go on', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: raiseBudget },
  { id: 'lift-budget', keys: ['a'], shown: 'a', label: 'no limit', help: 'Go on without a limit', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: liftBudget },
  { id: 'stop-over-budget', keys: ['x'], shown: 'x', label: 'stop', help: 'Cancel the task that has used its budget up, which asks first; of the session start nothing more', modes: ['budget'], answers: true, footer: true, blocked: whyNotBudget, press: stopOverBudget },

  { id: 'yes', keys: ['y'], shown: 'y', label: 'yes', help: 'Do what the question says', modes: ['confirm'], answers: true, footer: true, press: confirm },
  { id: 'no', keys: ['n', 'escape', 'q'], shown: 'n esc', label: 'no', help: 'Leave it', modes: ['confirm'], footer: true, press: by(close) },

  { id: 'submit', keys: ['enter'], shown: 'enter', label: 'go on', help: 'Take what is typed', modes: ['form'], footer: true, press: submitForm },
  { id: 'next-field', keys: ['tab', 'down'], shown: 'tab ↓', label: 'next', help: 'To the next field', modes: ['form'], footer: true, press: by(nextField(1)) },
  { id: 'previous-field', keys: ['shift-tab', 'up'], shown: 'shift-tab ↑', label: 'previous', help: 'To the previous field', modes: ['form'], press: by(nextField(-1)) },
  { id: 'next-option', keys: ['right'], shown: '→', label: 'change', help: 'To the next option of a choice', modes: ['form'], footer: true, press: by(choose(1)) },
  { id: 'previous-option', keys: ['left'], shown: '←', label: 'change', help: 'To the previous option of a choice', modes: ['form'], press: by(choose(-1)) },

  { id: 'copy-line', keys: ['ctrl-y'], shown: 'ctrl-y', label: 'copy', help: 'Copy the command line that does the same', modes: ['form'], blocked: palette.whyNotCopy, press: palette.copyLine },

  { id: 'keep-filter', keys: ['enter'], shown: 'enter', label: 'keep', help: 'Keep the filter', modes: ['filter'], footer: true, press: filter.keepFilter },
  { id: 'complete-filter', keys: ['tab'], shown: 'tab', label: 'complete', help: 'Continue the key or its value; again: the next that fits', modes: ['filter'], footer: true, press: by(completeFilter(1)) },
  { id: 'complete-back', keys: ['shift-tab'], shown: 'shift-tab', label: 'complete', help: 'The one before', modes: ['filter'], press: by(completeFilter(-1)) },
  { id: 'save-filter', keys: ['ctrl-s'], shown: 'ctrl-s', label: 'save', help: 'Save the filter under a name', modes: ['filter'], footer: true, blocked: filter.whyNotSave, press: filter.saveFilter },
  { id: 'saved-filters', keys: ['down'], shown: '↓', label: 'saved', help: 'Choose among the filters that were saved', modes: ['filter'], footer: true, blocked: filter.whyNotSaved, press: filter.openSaved },
  { id: 'take-filter', keys: ['enter'], shown: 'enter', label: 'take', help: 'Show what the saved filter finds', modes: ['filters'], footer: true, press: filter.takeSaved },
  { id: 'next-filter', keys: ['j', 'down'], shown: 'j ↓', label: 'down', help: 'To the next saved filter', modes: ['filters'], press: by(filter.moveSaved(1)) },
  { id: 'previous-filter', keys: ['k', 'up'], shown: 'k ↑', label: 'up', help: 'To the saved filter before', modes: ['filters'], press: by(filter.moveSaved(-1)) },
  { id: 'forget-filter', keys: ['d'], shown: 'd', label: 'forget', help: 'Forget the saved filter', modes: ['filters'], footer: true, press: filter.forgetSaved },
  { id: 'clear-filter', keys: ['escape'], shown: 'esc', label: 'clear', help: 'Show all tasks again', modes: ['filter'], footer: true, press: by(back) },

  { id: 'find', keys: ['enter'], shown: 'enter', label: 'find', help: 'Go to where the words stand next', modes: ['search'], footer: true, press: find },

  { id: 'run', keys: ['enter'], shown: 'enter', label: 'run', help: 'Do what its key would, or fill in the command', modes: ['palette'], footer: true, press: (desk) => runPicked(desk) },
  { id: 'next-command', keys: ['down', 'tab'], shown: '↓', label: 'next', help: 'To the next command', modes: ['palette'], footer: true, press: by(pick(1)) },
  { id: 'previous-command', keys: ['up', 'shift-tab'], shown: '↑', label: 'previous', help: 'To the previous command; from the first to what was run before', modes: ['palette'], press: by(pick(-1)) },
  { id: 'rub-out', keys: ['backspace'], shown: 'backspace', label: 'rub out', help: 'Take the last letter back', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOut) },
  { id: 'rub-out-word', keys: ['ctrl-w'], shown: 'ctrl-w', label: 'rub out', help: 'Take the last word back', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOutWord) },
  { id: 'rub-out-all', keys: ['ctrl-u'], shown: 'ctrl-u', label: 'rub out', help: 'Take all that was typed back', modes: ['palette', 'filter', 'search', 'memory-search', 'help-search', 'log-search', 'form'], press: by(rubOutAll) },
]

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
