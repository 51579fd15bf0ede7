import { modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import { by, type ListView, type TypedView } from '../../core/registry.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import { startLogsFeed } from './feed.ts'
import * as logKeys from './logs.ts'
import { moveInLogs, nextLevel, toggleFollow, toggleWrap } from './logs.ts'
import {
  emptyLogs,
  type LogContents,
  type LogSearchOverlay,
  logsHeight,
  type LogsOverlay,
  logsWindow,
} from './lines.ts'

/** The merged logs of all agents. */
// prettier-ignore
export const logs: ListView<LogsOverlay, { readonly logs: LogContents }> = {
  kind: 'logs',
  title: modeText.logs,
  manner: 'reading',
  opens: [{ id: 'logs', keys: ['L'], shown: 'L', press: (controller) => logKeys.openLogs(controller) }],
  keys: [
    { id: 'search-logs', keys: ['/'], shown: '/', footer: true, press: (controller) => logKeys.typeSearch(controller) },
    { id: 'next-found', keys: ['n'], shown: 'n', footer: true, blocked: (state) => logKeys.whyNotFind(state), press: (controller) => logKeys.findInLogs(1)(controller) },
    { id: 'previous-found', keys: ['N'], shown: 'N', blocked: (state) => logKeys.whyNotFind(state), press: (controller) => logKeys.findInLogs(-1)(controller) },
    { id: 'next-error', keys: ['e'], shown: 'e', footer: true, press: (controller) => logKeys.toTrouble(1)(controller) },
    { id: 'previous-error', keys: ['E'], shown: 'E', press: (controller) => logKeys.toTrouble(-1)(controller) },
    { id: 'log-level', keys: ['l'], shown: 'l', footer: true, press: by(nextLevel) },
    { id: 'follow-logs', keys: ['f'], shown: 'f', footer: true, press: by(toggleFollow) },
    { id: 'wrap-logs', keys: ['w'], shown: 'w', footer: true, press: by(toggleWrap) },
    { id: 'save-logs', keys: ['s'], shown: 's', footer: true, blocked: (state) => logKeys.whyNotSave(state), press: (controller) => logKeys.saveLogs(controller) },
  ],
  empty: { logs: emptyLogs },
  feed: ({ connection }, store, careful) => startLogsFeed(connection, store, careful),
  window: logsWindow,
  tall: logsHeight,
  scroll: moveInLogs,
  click: null,
}

// prettier-ignore
export const logSearch: TypedView<LogSearchOverlay> = {
  kind: 'log-search',
  title: modeText['log-search'],
  manner: 'typing',
  keys: [{ id: 'seek-logs', keys: ['enter'], shown: 'enter', footer: true, press: (controller) => logKeys.searchLogs(controller) }],
  empty: {},
  typed: typedLine(typingHints.findInLogs),
  edit: typedText,
  click: null,
}
