import { approve, integrate, reject, whyNotIntegrate, whyNotReject, whyNotYes } from './approval.ts'
import type { Desk } from './desk.ts'
import { submit } from './forms.ts'
import { openCommands } from './git-commands.ts'
import * as guard from './guard.ts'
import { carryOut } from './intents.ts'
import { focus, focusNext, followLog, move, page, sheetHeight, toFirst, toLast } from './movement.ts'
import { back, close, closeAll, open } from './overlays.ts'
import { helpLength, runPicked } from './key-table.ts'
import { nextTab, showTab } from './memory/movement.ts'
import * as memory from './memory/presses.ts'
import * as press from './presses.ts'
import { toFile, toHunk } from './review/movement.ts'
import * as review from './review/presses.ts'
import { find, findNext } from './review/search.ts'
import { enterCell, moveColumn, openRadar } from './radar.ts'
import { allow, always, deny, reply, whyNotAllow, whyNotAlways, whyNotDeny, whyNotReply } from './request.ts'
import type { ConsoleState, Mode, Transition } from './state.ts'
import { looking } from './state.ts'
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
  readonly blocked?: (state: ConsoleState) => string | undefined
  readonly press: (desk: Desk) => void
}

const by =
  (transition: Transition) =>
  (desk: Desk): void =>
    desk.change(transition)

const lists = ['list', 'detail'] as const
const sheets = ['list', 'detail', 'approval', 'verification', 'request', 'radar', 'guard', 'commands', 'memory', 'record', 'help'] as const

// A row a line: the table is read down its columns.
// prettier-ignore
export const keyRows: readonly KeyRow[] = [
  { id: 'spawn', keys: ['s'], shown: 's', label: 'spawn', help: 'Start an agent for the selected task; on other panes: one that works off the board', modes: lists, footer: true, blocked: press.whyNotSpawn, press: press.spawn },
  { id: 'retry', keys: ['r'], shown: 'r', label: 'retry', help: 'Put a failed task back on the board, or end its wait', modes: lists, footer: true, blocked: press.whyNotRetryHere, press: press.retry },
  { id: 'integrate', keys: ['i'], shown: 'i', label: 'integrate', help: 'Ask for the integration of the worktree and look at it before approving', modes: ['list', 'detail', 'approval'], footer: true, blocked: whyNotIntegrate, press: integrate },
  { id: 'abort', keys: ['x'], shown: 'x', label: 'abort', help: 'Cancel the selected task or terminate the selected agent; asks first', modes: lists, footer: true, blocked: press.whyNotAbort, press: press.abort },
  { id: 'discard', keys: ['d'], shown: 'd', label: 'discard', help: 'Give a worktree up; asks for a reason, then once more', modes: lists, blocked: press.whyNotDiscard, press: press.discard },
  { id: 'new', keys: ['n'], shown: 'n', label: 'new', help: 'Put a new task on the board', modes: lists, footer: true, press: press.newTask },
  { id: 'next', keys: ['w'], shown: 'w', label: 'waiting', help: 'Go to the next thing that waits for you', modes: ['list'], footer: true, blocked: press.whyNotNext, press: press.nextWaiting },
  { id: 'open', keys: ['enter'], shown: 'enter', label: 'open', help: 'Open what is selected', modes: ['list'], footer: true, blocked: press.whyNothingToOpen, press: press.openDetail },
  { id: 'pause', keys: ['p'], shown: 'p', label: 'pause', help: 'Start nothing more by itself, or go on', modes: ['list'], blocked: press.whyNotPause, press: press.pause },
  { id: 'follow', keys: ['f'], shown: 'f', label: 'follow', help: 'Follow the log, or hold it', modes: ['list'], press: by(followLog) },
  { id: 'shell', keys: ['o'], shown: 'o', label: 'shell', help: 'Open a shell in the worktree', modes: lists, press: press.openShell },
  { id: 'editor', keys: ['e'], shown: 'e', label: 'editor', help: 'Open your editor on the worktree', modes: lists, press: press.openEditor },
  { id: 'radar', keys: ['C'], shown: 'C', label: 'conflicts', help: 'Show which worktrees conflict with which, and in what order they had best land', modes: lists, press: openRadar },
  { id: 'filter', keys: ['/'], shown: '/', label: 'filter', help: 'Show only tasks with these words', modes: ['list'], footer: true, press: by(looking(({ filter }) => ({ pane: 'board', about: 'board', overlay: { kind: 'filter', text: filter } }))) },
  { id: 'undo', keys: ['z'], shown: 'z', label: 'undo', help: 'Take the last integration back, or the selected one: a worktree with its revert, to be looked at and approved', modes: lists, press: undo },
  { id: 'guard', keys: ['!'], shown: '!', label: 'trust', help: "Show what has changed in the repository's configuration, hooks and attributes, and accept it", modes: lists, blocked: guard.whyNotGuard, press: guard.openGuard },
  { id: 'commands', keys: ['@'], shown: '@', label: 'git', help: 'Show the git commands that aiswarm ran; again: the latest', modes: ['list', 'detail', 'approval', 'commands'], press: openCommands },
  { id: 'memory', keys: ['m'], shown: 'm', label: 'memory', help: 'Show what the swarm remembers: working memories, decisions, timeline, conversations', modes: lists, footer: true, press: memory.openMemory },
  { id: 'trail', keys: ['t'], shown: 't', label: 'trail', help: 'Show what was said and done in every attempt of the task', modes: lists, blocked: memory.whyNotTrail, press: memory.openTrail },
  { id: 'palette', keys: [':'], shown: ':', label: 'commands', help: 'Find a command by its name', modes: sheets, footer: true, press: by(open({ kind: 'palette', text: '', at: 0 })) },
  { id: 'help', keys: ['?'], shown: '?', label: 'help', help: 'Show what every key does', modes: ['list', 'detail', 'approval', 'verification', 'request', 'radar', 'guard', 'commands', 'memory', 'record'], footer: true, press: (desk) => desk.change(open({ kind: 'help', top: 0, total: helpLength() })) },
  { id: 'quit', keys: ['q', 'ctrl-c'], shown: 'q', label: 'quit', help: 'Leave the console; agents go on', modes: sheets, footer: true, press: (desk) => desk.quit() },
  { id: 'interrupt', keys: ['ctrl-c'], shown: 'ctrl-c', label: 'quit', help: 'Leave the console from anywhere', modes: ['confirm', 'palette', 'filter', 'search', 'memory-search', 'form'], press: (desk) => desk.quit() },

  { id: 'board', keys: ['1'], shown: '1', label: 'board', help: 'Go to the board', modes: ['list'], press: by(focus('board')) },
  { id: 'agents', keys: ['2'], shown: '2', label: 'agents', help: 'Go to the agents', modes: ['list'], press: by(focus('agents')) },
  { id: 'log', keys: ['3'], shown: '3', label: 'log', help: 'Go to the log', modes: ['list'], press: by(focus('log')) },
  { id: 'worktrees', keys: ['4'], shown: '4', label: 'worktrees', help: 'Go to the worktrees', modes: ['list'], press: by(focus('worktrees')) },
  { id: 'next-pane', keys: ['tab', 'right'], shown: 'tab', label: 'pane', help: 'Go to the next pane', modes: ['list'], press: by(focusNext(1)) },
  { id: 'previous-pane', keys: ['shift-tab', 'left'], shown: 'shift-tab', label: 'pane', help: 'Go to the previous pane', modes: ['list'], press: by(focusNext(-1)) },
  { id: 'down', keys: ['j', 'down'], shown: 'j ↓', label: 'down', help: 'One row down', modes: sheets, press: by(move(1)) },
  { id: 'up', keys: ['k', 'up'], shown: 'k ↑', label: 'up', help: 'One row up', modes: sheets, press: by(move(-1)) },
  { id: 'first', keys: ['g', 'home'], shown: 'g', label: 'first', help: 'To the first row', modes: sheets, press: by(toFirst) },
  { id: 'last', keys: ['G', 'end'], shown: 'G', label: 'last', help: 'To the last row', modes: sheets, press: by(toLast) },
  { id: 'page-down', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', label: 'page', help: 'A page down', modes: sheets, press: by(page(1)) },
  { id: 'page-up', keys: ['page-up', 'ctrl-u'], shown: 'pgup', label: 'page', help: 'A page up', modes: sheets, press: by(page(-1)) },
  { id: 'back', keys: ['escape'], shown: 'esc', label: 'back', help: 'Go back; on the panes: show all tasks again', modes: ['list', 'detail', 'help', 'palette', 'form', 'search', 'approval', 'verification', 'request', 'radar', 'guard', 'commands', 'memory', 'memory-search', 'record'], press: by(back) },
  { id: 'close', keys: ['enter'], shown: 'enter', label: 'back', help: 'Go back', modes: ['detail', 'help', 'verification', 'commands', 'record'], press: by(close) },

  { id: 'approve', keys: ['y'], shown: 'y', label: 'approve', help: 'Let exactly the commits that are shown into the target', modes: ['approval'], footer: true, blocked: whyNotYes, press: approve },
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

  { id: 'allow', keys: ['y'], shown: 'y', label: 'allow', help: 'Let the agent do what is shown, this once', modes: ['request'], footer: true, blocked: whyNotAllow, press: allow },
  { id: 'deny', keys: ['n'], shown: 'n', label: 'deny', help: 'Deny what is shown; a question is left to the agent', modes: ['request'], footer: true, blocked: whyNotDeny, press: deny },
  { id: 'always', keys: ['a'], shown: 'a', label: 'always', help: 'Allow it and its like from now on, by a rule in the configuration', modes: ['request'], footer: true, blocked: whyNotAlways, press: always },
  { id: 'reply', keys: ['enter'], shown: 'enter', label: 'answer', help: 'Answer the question in words', modes: ['request'], footer: true, blocked: whyNotReply, press: reply },

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

  { id: 'trust', keys: ['y'], shown: 'y', label: 'accept', help: 'Accept exactly the lines that are shown', modes: ['guard'], footer: true, press: guard.trust },

  { id: 'yes', keys: ['y'], shown: 'y', label: 'yes', help: 'Do what the question says', modes: ['confirm'], footer: true, press: confirm },
  { id: 'no', keys: ['n', 'escape', 'q'], shown: 'n esc', label: 'no', help: 'Leave it', modes: ['confirm'], footer: true, press: by(close) },

  { id: 'submit', keys: ['enter'], shown: 'enter', label: 'go on', help: 'Take what is typed', modes: ['form'], footer: true, press: submitForm },
  { id: 'next-field', keys: ['tab', 'down'], shown: 'tab ↓', label: 'next', help: 'To the next field', modes: ['form'], footer: true, press: by(nextField(1)) },
  { id: 'previous-field', keys: ['shift-tab', 'up'], shown: 'shift-tab ↑', label: 'previous', help: 'To the previous field', modes: ['form'], press: by(nextField(-1)) },
  { id: 'next-option', keys: ['right'], shown: '→', label: 'change', help: 'To the next option of a choice', modes: ['form'], footer: true, press: by(choose(1)) },
  { id: 'previous-option', keys: ['left'], shown: '←', label: 'change', help: 'To the previous option of a choice', modes: ['form'], press: by(choose(-1)) },

  { id: 'keep-filter', keys: ['enter'], shown: 'enter', label: 'keep', help: 'Keep the filter', modes: ['filter'], footer: true, press: by(close) },
  { id: 'clear-filter', keys: ['escape'], shown: 'esc', label: 'clear', help: 'Show all tasks again', modes: ['filter'], footer: true, press: by(back) },

  { id: 'find', keys: ['enter'], shown: 'enter', label: 'find', help: 'Go to where the words stand next', modes: ['search'], footer: true, press: find },

  { id: 'run', keys: ['enter'], shown: 'enter', label: 'run', help: 'Run the command that is marked, as its key would', modes: ['palette'], footer: true, press: (desk) => runPicked(desk) },
  { id: 'next-command', keys: ['down', 'tab'], shown: '↓', label: 'next', help: 'To the next command', modes: ['palette'], footer: true, press: by(pick(1)) },
  { id: 'previous-command', keys: ['up', 'shift-tab'], shown: '↑', label: 'previous', help: 'To the previous command', modes: ['palette'], press: by(pick(-1)) },
  { id: 'rub-out', keys: ['backspace'], shown: 'backspace', label: 'rub out', help: 'Take the last letter back', modes: ['palette', 'filter', 'search', 'memory-search', 'form'], press: by(rubOut) },
  { id: 'rub-out-word', keys: ['ctrl-w'], shown: 'ctrl-w', label: 'rub out', help: 'Take the last word back', modes: ['palette', 'filter', 'search', 'memory-search', 'form'], press: by(rubOutWord) },
  { id: 'rub-out-all', keys: ['ctrl-u'], shown: 'ctrl-u', label: 'rub out', help: 'Take all that was typed back', modes: ['palette', 'filter', 'search', 'memory-search', 'form'], press: by(rubOutAll) },
]

function confirm(desk: Desk): void {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'confirm') return
  desk.change(closeAll)
  carryOut(desk, overlay.intent)
}

function submitForm(desk: Desk): void {
  const { overlay } = desk.state().view
  if (overlay?.kind === 'form') submit(desk, overlay.form)
}
