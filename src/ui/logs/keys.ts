import type { BareRow } from '../key-words.ts'
import { nextLevel, toggleFollow, toggleWrap } from './movement.ts'
import * as logs from './presses.ts'

// The rows of keys.ts that belong to the logs of all agents.

// prettier-ignore
export const logRows: readonly BareRow[] = [
  { id: 'search-logs', keys: ['/'], shown: '/', modes: ['logs'], footer: true, press: (desk) => logs.typeSearch(desk) },
  { id: 'next-found', keys: ['n'], shown: 'n', modes: ['logs'], footer: true, blocked: (state) => logs.whyNotFind(state), press: (desk) => logs.findInLogs(1)(desk) },
  { id: 'previous-found', keys: ['N'], shown: 'N', modes: ['logs'], blocked: (state) => logs.whyNotFind(state), press: (desk) => logs.findInLogs(-1)(desk) },
  { id: 'next-error', keys: ['e'], shown: 'e', modes: ['logs'], footer: true, press: (desk) => logs.toTrouble(1)(desk) },
  { id: 'previous-error', keys: ['E'], shown: 'E', modes: ['logs'], press: (desk) => logs.toTrouble(-1)(desk) },
  { id: 'log-level', keys: ['l'], shown: 'l', modes: ['logs'], footer: true, press: (desk) => desk.change(nextLevel) },
  { id: 'follow-logs', keys: ['f'], shown: 'f', modes: ['logs'], footer: true, press: (desk) => desk.change(toggleFollow) },
  { id: 'wrap-logs', keys: ['w'], shown: 'w', modes: ['logs'], footer: true, press: (desk) => desk.change(toggleWrap) },
  { id: 'save-logs', keys: ['s'], shown: 's', modes: ['logs'], footer: true, blocked: (state) => logs.whyNotSave(state), press: (desk) => logs.saveLogs(desk) },
  { id: 'seek-logs', keys: ['enter'], shown: 'enter', modes: ['log-search'], footer: true, press: (desk) => logs.searchLogs(desk) },
]
