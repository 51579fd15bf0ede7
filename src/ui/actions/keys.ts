import { back, close } from '../core/overlays.ts'
import { type BareRow, by, manners, type SharedRow } from '../core/registry.ts'
import { lead, whyNotLead } from '../keys/dispatch.ts'
import { rubOut, rubOutAll, rubOutWord } from '../keys/typing.ts'
import { mark, unfold, whyNotMark, whyNotUnfold } from '../panes/agents.ts'
import {
  focus,
  focusNext,
  heighten,
  hide,
  restoreBorders,
  whyNotHide,
  whyNotRestore,
  whyNotTaller,
  whyNotWider,
  whyNotZoom,
  widen,
  zoom,
} from '../panes/arrangement.ts'
import { aside, cycleShape } from '../panes/board.ts'
import { followLog, move, page, toFirst, toLast } from '../panes/movement.ts'
import { sortNext, whyNotSort } from '../panes/sorting.ts'
import { abort, whyNotAbort } from './cancel.ts'
import { discard, whyNotDiscard } from './discard.ts'
import { undo } from './integration.ts'
import { openEditor, openShell, whyNoFolder } from './open-folder.ts'
import { nextWaiting, whyNotNext } from './open-item.ts'
import { openSay, whyNotSay } from './say.ts'
import { pause, retry, spawn, whyNotPause, whyNotRetryHere, whyNotSpawn } from './scheduling.ts'
import { openFork, takeOver, whyNotFork, whyNotTakeOver } from './take-over.ts'
import * as edit from './task-form.ts'
import { newTask } from './task-form.ts'
import { changeTheme, whyNotTheme } from './theme.ts'

// The rows of the keys that belong to no single view.

/** The keys of the panes that open no view; the others are in the view that they open. */
// prettier-ignore
export const paneRows: readonly BareRow[] = [
  { id: 'spawn', keys: ['s'], shown: 's', writes: true, acts: true, footer: true, blocked: whyNotSpawn, press: spawn },
  { id: 'retry', keys: ['r'], shown: 'r', writes: true, acts: true, footer: true, blocked: whyNotRetryHere, press: retry },
  { id: 'abort', keys: ['x'], shown: 'x', writes: true, footer: true, blocked: whyNotAbort, press: abort },
  { id: 'discard', keys: ['d'], shown: 'd', writes: true, blocked: whyNotDiscard, press: discard },
  { id: 'say', keys: ['M'], shown: 'M', writes: true, blocked: whyNotSay, press: openSay },
  { id: 'take-over', keys: ['O'], shown: 'O', writes: true, blocked: whyNotTakeOver, press: takeOver },
  { id: 'fork', keys: ['F'], shown: 'F', writes: true, blocked: whyNotFork, press: openFork },
  { id: 'new', keys: ['n'], shown: 'n', writes: true, footer: true, press: newTask },
  { id: 'next', keys: ['w'], shown: 'w', footer: true, blocked: whyNotNext, press: nextWaiting },
  { id: 'pause', keys: ['p'], shown: 'p', writes: true, acts: true, blocked: whyNotPause, press: pause },
  { id: 'follow', keys: ['f'], shown: 'f', press: by(followLog) },
  { id: 'shell', keys: ['o'], shown: 'o', acts: true, blocked: whyNoFolder, press: openShell },
  { id: 'edit', keys: ['e'], shown: 'e', writes: true, blocked: edit.whyNotEdit, labelNow: edit.editLabel, press: edit.edit },
  { id: 'editor', keys: ['E'], shown: 'E', acts: true, blocked: whyNoFolder, press: openEditor },
  { id: 'shape', keys: ['b'], shown: 'b', press: by(cycleShape) },
  { id: 'sort', keys: ['S'], shown: 'S', blocked: whyNotSort, press: sortNext },
  { id: 'undo', keys: ['z'], shown: 'z', writes: true, acts: true, press: undo },

  { id: 'board', keys: ['1'], shown: '1', press: by(focus('board')) },
  { id: 'agents', keys: ['2'], shown: '2', press: by(focus('agents')) },
  { id: 'log', keys: ['3'], shown: '3', press: by(focus('log')) },
  { id: 'worktrees', keys: ['4'], shown: '4', press: by(focus('worktrees')) },
  { id: 'next-pane', keys: ['tab'], shown: 'tab', press: by(focusNext(1)) },
  { id: 'previous-pane', keys: ['shift-tab'], shown: 'shift-tab', press: by(focusNext(-1)) },
  { id: 'right', keys: ['right', 'l'], shown: 'l →', press: by(aside(1)) },
  { id: 'left', keys: ['left', 'h'], shown: 'h ←', press: by(aside(-1)) },

  { id: 'taller', keys: ['+', '}'], shown: '+', blocked: whyNotTaller(1), press: by(heighten(1)) },
  { id: 'lower', keys: ['-', '{'], shown: '-', blocked: whyNotTaller(-1), press: by(heighten(-1)) },
  { id: 'wider', keys: ['>'], shown: '>', blocked: whyNotWider(1), press: by(widen(1)) },
  { id: 'narrower', keys: ['<'], shown: '<', blocked: whyNotWider(-1), press: by(widen(-1)) },
  { id: 'restore-borders', keys: ['='], shown: '=', blocked: whyNotRestore, press: by(restoreBorders) },
  { id: 'zoom', keys: ['Z'], shown: 'Z', blocked: whyNotZoom, press: by(zoom) },
  { id: 'hide', keys: ['_'], shown: '_', blocked: whyNotHide, press: by(hide) },
  { id: 'mark-agent', keys: [' '], shown: 'space', blocked: whyNotMark, press: by(mark) },
  { id: 'unfold-ended', keys: ['U'], shown: 'U', blocked: whyNotUnfold, press: by(unfold) },
]

/** The keys that views share, by their manner. */
// prettier-ignore
export const sharedRows: readonly SharedRow[] = [
  { id: 'quit', keys: ['q', 'ctrl-c'], shown: 'q', manners: ['reading', 'playing'], footer: true, press: (controller) => controller.quit() },
  { id: 'interrupt', keys: ['ctrl-c'], shown: 'ctrl-c', manners: ['choosing', 'asking', 'typing'], panes: false, press: (controller) => controller.quit() },

  { id: 'down', keys: ['j', 'down'], shown: 'j ↓', manners: ['reading'], press: by(move(1)) },
  { id: 'up', keys: ['k', 'up'], shown: 'k ↑', manners: ['reading'], press: by(move(-1)) },
  { id: 'first', keys: ['g', 'home'], shown: 'g', manners: ['reading'], press: by(toFirst) },
  { id: 'last', keys: ['G', 'end'], shown: 'G', manners: ['reading'], press: by(toLast) },
  { id: 'page-down', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', manners: ['reading'], press: by(page(1)) },
  { id: 'page-up', keys: ['page-up', 'ctrl-u'], shown: 'pgup', manners: ['reading'], press: by(page(-1)) },
  { id: 'back', keys: ['escape'], shown: 'esc', manners: ['reading', 'playing', 'choosing', 'typing'], press: by(back) },
  { id: 'close', keys: ['enter'], shown: 'enter', manners: [], panes: false, press: by(close) },

  { id: 'theme', keys: ['ctrl-t'], shown: 'ctrl-t', manners: ['reading'], blocked: whyNotTheme, press: changeTheme },
  { id: 'leader', keys: ['ctrl-x'], shown: 'ctrl-x', manners: ['reading', 'asking'], blocked: (state) => whyNotLead(state), press: (controller) => lead(controller) },

  { id: 'suspend', keys: ['ctrl-z'], shown: 'ctrl-z', manners, press: (controller) => controller.suspend() },
  { id: 'redraw', keys: ['ctrl-l'], shown: 'ctrl-l', manners, press: (controller) => controller.redraw() },

  { id: 'rub-out', keys: ['backspace'], shown: 'backspace', manners: ['typing'], panes: false, press: by(rubOut) },
  { id: 'rub-out-word', keys: ['ctrl-w'], shown: 'ctrl-w', manners: ['typing'], panes: false, press: by(rubOutWord) },
  { id: 'rub-out-all', keys: ['ctrl-u'], shown: 'ctrl-u', manners: ['typing'], panes: false, press: by(rubOutAll) },
]
