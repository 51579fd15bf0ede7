import { newTask } from './new-task.ts'
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
import { followLog } from '../panes/movement.ts'
import * as edit from './edit-task.ts'
import { mark, unfold, whyNotMark, whyNotUnfold } from '../panes/agents.ts'
import * as press from './selected.ts'
import { sortNext, whyNotSort } from '../panes/sorting.ts'
import { openFork, whyNotFork } from './fork.ts'
import { openSay, whyNotSay } from './say.ts'
import { takeOver, whyNotTakeOver } from './take-over.ts'
import { undo } from './undo.ts'
import { type BareRow, by } from '../core/registry.ts'

/** The keys of the panes that open no view; the others are in the view that they open. */
// prettier-ignore
export const paneRows: readonly BareRow[] = [
  { id: 'spawn', keys: ['s'], shown: 's', writes: true, acts: true, footer: true, blocked: press.whyNotSpawn, press: press.spawn },
  { id: 'retry', keys: ['r'], shown: 'r', writes: true, acts: true, footer: true, blocked: press.whyNotRetryHere, press: press.retry },
  { id: 'abort', keys: ['x'], shown: 'x', writes: true, footer: true, blocked: press.whyNotAbort, press: press.abort },
  { id: 'discard', keys: ['d'], shown: 'd', writes: true, blocked: press.whyNotDiscard, press: press.discard },
  { id: 'say', keys: ['M'], shown: 'M', writes: true, blocked: whyNotSay, press: openSay },
  { id: 'take-over', keys: ['O'], shown: 'O', writes: true, blocked: whyNotTakeOver, press: takeOver },
  { id: 'fork', keys: ['F'], shown: 'F', writes: true, blocked: whyNotFork, press: openFork },
  { id: 'new', keys: ['n'], shown: 'n', writes: true, footer: true, press: newTask },
  { id: 'next', keys: ['w'], shown: 'w', footer: true, blocked: press.whyNotNext, press: press.nextWaiting },
  { id: 'pause', keys: ['p'], shown: 'p', writes: true, acts: true, blocked: press.whyNotPause, press: press.pause },
  { id: 'follow', keys: ['f'], shown: 'f', press: by(followLog) },
  { id: 'shell', keys: ['o'], shown: 'o', acts: true, blocked: press.whyNoFolder, press: press.openShell },
  { id: 'edit', keys: ['e'], shown: 'e', writes: true, blocked: edit.whyNotEdit, labelNow: edit.editLabel, press: edit.edit },
  { id: 'editor', keys: ['E'], shown: 'E', acts: true, blocked: press.whyNoFolder, press: press.openEditor },
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
