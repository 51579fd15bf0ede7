import { modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import { by, type DrawnView, type ReadView, type TypedView } from '../../core/registry.ts'
import { startMemoryFeed } from './feed.ts'
import * as memoryKeys from './memory.ts'
import {
  type MemoryContents,
  memoryHeight,
  type MemoryOverlay,
  moveInMemory,
  nextTab,
  nothingRead,
  selectInMemory,
  showTab,
} from './memory.ts'
import { recordSheet } from './record.ts'
import type { RecordRef } from './rows.ts'

/** The memories. */
// prettier-ignore
export const memory: DrawnView<MemoryOverlay, { readonly memory: MemoryContents }> = {
  kind: 'memory',
  title: modeText.memory,
  manner: 'reading',
  opens: [
    { id: 'memory', keys: ['m'], shown: 'm', footer: true, press: memoryKeys.openMemory },
    { id: 'trail', keys: ['t'], shown: 't', blocked: memoryKeys.whyNotTrail, press: memoryKeys.openTrail },
  ],
  keys: [
    { id: 'working-memory', keys: ['1'], shown: '1', press: by(showTab('working')) },
    { id: 'decisions', keys: ['2'], shown: '2', press: by(showTab('decisions')) },
    { id: 'timeline', keys: ['3'], shown: '3', press: by(showTab('timeline')) },
    { id: 'conversations', keys: ['4'], shown: '4', press: by(showTab('conversations')) },
    { id: 'next-memory', keys: ['tab', 'right'], shown: 'tab', footer: true, press: by(nextTab(1)) },
    { id: 'previous-memory', keys: ['shift-tab', 'left'], shown: 'shift-tab', press: by(nextTab(-1)) },
    { id: 'open-record', keys: ['enter'], shown: 'enter', footer: true, blocked: memoryKeys.whyNotRecord, press: memoryKeys.openRecord },
    { id: 'search-memory', keys: ['/'], shown: '/', footer: true, press: memoryKeys.typeSearch },
  ],
  empty: { memory: nothingRead },
  feed: startMemoryFeed,
  drawn: true,
  scroll: moveInMemory,
  page: memoryHeight,
  click: selectInMemory,
  // Esc first removes the search, which shows the tab again.
  back: (state, { words, tab }) => (words === '' ? undefined : showTab(tab)(state)),
}

export interface MemorySearchOverlay {
  readonly kind: 'memory-search'
  readonly text: string
}

// prettier-ignore
export const memorySearch: TypedView<MemorySearchOverlay> = {
  kind: 'memory-search',
  title: modeText['memory-search'],
  manner: 'typing',
  keys: [{ id: 'seek', keys: ['enter'], shown: 'enter', footer: true, press: memoryKeys.search }],
  empty: {},
  typed: typedLine(typingHints.lookEverywhere),
  edit: typedText,
  click: null,
}

export interface RecordOverlay {
  readonly kind: 'record'
  readonly record: RecordRef
  readonly top: number
}

export const record: ReadView<RecordOverlay> = {
  kind: 'record',
  title: modeText.record,
  manner: 'reading',
  keys: [],
  also: ['close'],
  empty: {},
  content: (state, overlay) => recordSheet(state, overlay.record),
  click: null,
}
