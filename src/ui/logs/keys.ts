import type { KeyRow } from '../keys.ts'
import { nextLevel, toggleFollow, toggleWrap } from './movement.ts'
import * as logs from './presses.ts'

// The rows of keys.ts that belong to the logs of all agents.

// prettier-ignore
export const logRows: readonly KeyRow[] = [
  { id: 'search-logs', keys: ['/'], shown: '/', label: 'search', help: 'Look for words in the lines', modes: ['logs'], footer: true, press: (desk) => logs.typeSearch(desk) },
  { id: 'next-found', keys: ['n'], shown: 'n', label: 'next', help: 'To the next line that has the words', modes: ['logs'], footer: true, blocked: (state) => logs.whyNotFind(state), press: (desk) => logs.findInLogs(1)(desk) },
  { id: 'previous-found', keys: ['N'], shown: 'N', label: 'previous', help: 'To the line before that has the words', modes: ['logs'], blocked: (state) => logs.whyNotFind(state), press: (desk) => logs.findInLogs(-1)(desk) },
  { id: 'next-error', keys: ['e'], shown: 'e', label: 'error', help: 'To the next error, or output that sounds like one', modes: ['logs'], footer: true, press: (desk) => logs.toTrouble(1)(desk) },
  { id: 'previous-error', keys: ['E'], shown: 'E', label: 'error', help: 'To the error before', modes: ['logs'], press: (desk) => logs.toTrouble(-1)(desk) },
  { id: 'log-level', keys: ['l'], shown: 'l', label: 'level', help: 'Leave out what is less bad: debug notes, then information and output, then warnings; then show everything again', modes: ['logs'], footer: true, press: (desk) => desk.change(nextLevel) },
  { id: 'follow-logs', keys: ['f'], shown: 'f', label: 'follow', help: 'Follow the end, or hold what is on the screen', modes: ['logs'], footer: true, press: (desk) => desk.change(toggleFollow) },
  { id: 'wrap-logs', keys: ['w'], shown: 'w', label: 'wrap', help: 'Break long lines, or cut them at the edge', modes: ['logs'], footer: true, press: (desk) => desk.change(toggleWrap) },
  { id: 'save-logs', keys: ['s'], shown: 's', label: 'save', help: 'Save all lines that are shown to a file under .aiswarm/logs/saved', modes: ['logs'], footer: true, blocked: (state) => logs.whyNotSave(state), press: (desk) => logs.saveLogs(desk) },
  { id: 'seek-logs', keys: ['enter'], shown: 'enter', label: 'search', help: 'Go to where the words stand next', modes: ['log-search'], footer: true, press: (desk) => logs.searchLogs(desk) },
]
