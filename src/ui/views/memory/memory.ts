import { fit, widthOf } from '../../../../components/base/fit.ts'
import type { FileMemories } from '../../../contracts/memories.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { ConversationPage, Turn } from '../../../operations/memory/trail.ts'
import { memoryRefusals, memoryText } from '../../../text/memory.ts'
import type { Controller } from '../../core/controller.ts'
import { layoutOf, topFor } from '../../core/layout.ts'
import { close, open, replace } from '../../core/overlays.ts'
import { agentOf, selectedAgent, selectedTask } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'
import { decisionEntries, timelineEntries, workingEntries } from './entries.ts'
import {
  beginning,
  type Entries,
  type MemoryRow,
  type MemoryRows,
  type MemoryTab,
  memoryTabs,
  type RecordRef,
  shortTime,
} from './rows.ts'

// The memory pane: its state, its keys, its lists and the cursor in each.

/** The list of the pane: one of its tabs, or the results of a search in all of them. */
export type MemoryList = MemoryTab | 'found'

/** The place in a list. The key keeps the place while rows come and go above it. */
export interface Place {
  readonly key: string | null
  readonly at: number
  /** The first visible row. */
  readonly top: number
}

/** The pane. After a search it lists the results. */
export interface MemoryOverlay {
  readonly kind: 'memory'
  readonly tab: MemoryTab
  readonly words: string
  readonly places: Readonly<Record<MemoryList, Place>>
}

/** The results for these words. */
export interface Found {
  readonly words: string
  readonly rows: readonly MemoryRow[]
  /** The number of results of each kind, in words. */
  readonly summary: SafeText
}

/** The data of the pane; all of it null while the pane is closed. */
export interface MemoryContents {
  readonly files: FileMemories | null
  readonly page: ConversationPage | null
  readonly found: Found | null
  /** `of` names the record to which they belong. */
  readonly turns: { readonly of: string; readonly turns: readonly Turn[] } | null
}

export const nothingRead: MemoryContents = { files: null, page: null, found: null, turns: null }

const start: Place = { key: null, at: 0, top: 0 }

const memoryOverlay = (tab: MemoryTab = 'working'): MemoryOverlay => ({
  kind: 'memory',
  tab,
  words: '',
  places: { working: start, decisions: start, timeline: start, conversations: start, found: start },
})

export const listIn = ({ words, tab }: MemoryOverlay): MemoryList => (words === '' ? tab : 'found')

/** A name for a record's data from the database; null if there is none. */
export const turnsOf = (record: RecordRef): string | null =>
  record.of === 'trail' ? `task:${record.taskId}` : record.of === 'message' ? `message:${record.messageId}` : null

// Key handlers of the memory pane, and the reasons why they are unavailable.

export const openMemory = (controller: Controller): void => controller.change(open(memoryOverlay()))

/** The task whose trail `t` would open: the selected one, or that of the selected agent. */
const trailTask = (state: ConsoleState): number | null => {
  if (state.view.about === 'board') return state.view.task
  return state.view.about === 'agents' ? (selectedAgent(state)?.taskId ?? null) : null
}

export const whyNotTrail = (state: ConsoleState): string | undefined => {
  const { about, agent } = state.view
  if (about === 'worktrees') return memoryRefusals.trailOfWorktree
  if (about === 'agents') {
    if (!agentOf(state, agent)) return memoryRefusals.trailOfNoAgent
    return trailTask(state) === null ? memoryRefusals.agentWithoutTask(agent) : undefined
  }
  const task = selectedTask(state)
  if (!task) return memoryRefusals.trailOfNoTask
  return task.attempt === 0 ? memoryRefusals.noAttempt(task.id) : undefined
}

export const openTrail = (controller: Controller): void =>
  controller.change(open({ kind: 'record', record: { of: 'trail', taskId: trailTask(controller.state())! }, top: 0 }))

const selectedRow = (state: ConsoleState): MemoryRow | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'memory') return undefined
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  return rows && rows.total > 0 ? rows.row(Math.min(overlay.places[list].at, rows.total - 1)) : undefined
}

export const whyNotRecord = (state: ConsoleState): string | undefined =>
  selectedRow(state)?.opens ? undefined : memoryRefusals.nothingToOpen

export const openRecord = (controller: Controller): void =>
  controller.change(open({ kind: 'record', record: selectedRow(controller.state())!.opens!, top: 0 }))

export const typeSearch = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind === 'memory') controller.change(open({ kind: 'memory-search', text: overlay.words }))
}

/** The longest search (characters); a paste may have any length. */
const LONGEST = 500

/** Enter after the typed words: the results replace the tabs. */
export const search = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'memory-search') return
  const words = overlay.text.trim().slice(0, LONGEST)
  controller.change(close)
  const memory = controller.state().view.overlay
  if (memory?.kind !== 'memory' || words === memory.words) return
  controller.change((state) => ({ ...state, memory: { ...state.memory, found: null } }))
  controller.change(replace({ ...memory, words, places: { ...memory.places, found: { key: null, at: 0, top: 0 } } }))
}

// Moves in the memory pane.

/** Rows of a list: the body without its border and the line of the tabs. */
export const memoryHeight = ({ view }: Pick<ConsoleState, 'view'>): number =>
  Math.max(1, layoutOf(view.size.columns, view.size.rows, view.pane).body - 3)

/** Moves the cursor of the shown list. */
export const moveInMemory = (state: ConsoleState, overlay: Overlay & MemoryOverlay, by: number): ConsoleState => {
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  const before = overlay.places[list]
  const wanted = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, before.at + by))
  // The place is kept for rows that are being read.
  const place = rows ? placeAt(state, list, before, wanted) : { ...before, key: null, at: wanted }
  return changingView(() => ({ overlay: { ...overlay, places: { ...overlay.places, [list]: place } } }))(state)
}

/** Selects the row on a line of the pane; the first line contains the tabs, one of which is opened. Nothing scrolls. */
export const selectInMemory = (
  state: ConsoleState,
  overlay: Overlay & MemoryOverlay,
  line: number,
  column: number,
): ConsoleState => {
  const list = listIn(overlay)
  if (line === 0) {
    const tab =
      list === 'found' ? -1 : tabSpans(tabsOf(list)).findIndex(({ from, to }) => column >= from && column < to)
    return tab === -1 ? state : showTab(memoryTabs[tab]!)(state)
  }
  const [total, place] = [rowsOf(state, list)?.total ?? 0, overlay.places[list]]
  const top = firstSeen(place, total, memoryHeight(state))
  const row = top + line - 1
  if (line > memoryHeight(state) || row >= total) return state
  return moveInMemory(state, { ...overlay, places: { ...overlay.places, [list]: { ...place, top } } }, row - place.at)
}

/** The columns of each tab in its line, from (inclusive) and to (exclusive). */
const tabSpans = (
  tabs: readonly { readonly name: SafeText }[],
): readonly { readonly from: number; readonly to: number }[] => {
  let at = 0
  return tabs.map(({ name }, index) => {
    const from = at
    at += widthOf(`[${index + 1} ${name}]`)
    return { from, to: at }
  })
}

export const tabsOf = (list: MemoryList) =>
  memoryTabs.map((tab) => ({ name: ours(memoryText.tabs[tab]), shown: tab === list }))

/** The first visible row of so many. */
export const firstSeen = ({ at, top }: Place, total: number, height: number): number =>
  topFor(top, Math.min(at, Math.max(0, total - 1)), height, total)

/** The place of the nearest row. */
export const placeAt = (state: ConsoleState, list: MemoryList, before: Place, wanted: number): Place => {
  const rows = rowsOf(state, list)
  if (!rows) return before
  const at = Math.max(0, Math.min(rows.total - 1, wanted))
  const row = rows.total > 0 ? rows.row(at) : undefined
  return {
    key: row && rows.find(row.key) === at ? row.key : null,
    at,
    top: topFor(before.top, at, memoryHeight(state), rows.total),
  }
}

export const showTab = (tab: MemoryTab): Transition => inMemory((overlay) => ({ ...overlay, tab, words: '' }))

export const nextTab = (by: 1 | -1): Transition =>
  inMemory((overlay) => ({
    ...overlay,
    words: '',
    tab: memoryTabs[(memoryTabs.indexOf(overlay.tab) + by + memoryTabs.length) % memoryTabs.length]!,
  }))

function inMemory(change: (overlay: Overlay & MemoryOverlay) => Overlay & MemoryOverlay): Transition {
  return changingView(({ overlay }) => (overlay?.kind === 'memory' ? { overlay: change(overlay) } : {}))
}

// The rows of each list, computed once for what was read.

/** The rows of a list; undefined while they are being read. */
export const rowsOf = ({ memory }: Pick<ConsoleState, 'memory'>, list: MemoryList): MemoryRows | undefined => {
  if (list === 'found') return memory.found ? foundRows(memory.found) : undefined
  if (list === 'conversations') return memory.page ? pageRows(memory.page) : undefined
  return entriesIn(memory, list)
}

/** The entries of a memory in files; undefined while it is being read. */
export const entriesIn = ({ files }: MemoryContents, tab: Exclude<MemoryTab, 'conversations'>): Entries | undefined => {
  if (!files) return undefined
  if (tab === 'working') return working(files)
  return tab === 'decisions' ? decisions(files.decisions) : timeline(files.timeline)
}

/** Computes once for each value. */
const once = <T extends object, R>(make: (of: T) => R): ((of: T) => R) => {
  const known = new WeakMap<T, R>()
  return (of) => {
    const before = known.get(of)
    if (before !== undefined) return before
    const made = make(of)
    known.set(of, made)
    return made
  }
}

const working = once(workingEntries)
const decisions = once(decisionEntries)
const timeline = once(timelineEntries)

/** Conversations, newest first: the rows of a loaded page, and placeholders for the others. */
const conversationRows = ({ total, from, conversations }: ConversationPage): MemoryRows => ({
  total,
  row: (index) => {
    const head = conversations[index - from]
    return head ? rowOf(head) : { key: `place-${index}`, line: { text: ours('…'), dim: true }, opens: null }
  },
  find: (key) => {
    const index = conversations.findIndex(({ messageId }) => messageId === key)
    return index === -1 ? -1 : from + index
  },
})

/** ✓ and ✗ show its execution's result. */
const rowOf = ({ messageId, at, said, success }: ConversationPage['conversations'][number]): MemoryRow => ({
  key: messageId,
  line: {
    text: ours(
      `${success === null ? ' ' : success ? '✓' : '✗'} ${shortTime(at)}  ${fit(messageName(messageId), 16)}  ${beginning(said)}`,
    ),
    colour: success === false ? 'red' : undefined,
  },
  opens: { of: 'message', messageId },
})

/** `task 3, attempt 1` for an id that aiswarm assigned, otherwise the id. */
export const messageName = (messageId: string): string => {
  const match = /:task-(\d+):(\d+)$/.exec(messageId)
  return match ? memoryText.tryOf(match[1]!, match[2]!) : safeText(messageId)
}

const pageRows = once(conversationRows)
const foundRows = once((found: NonNullable<MemoryContents['found']>): MemoryRows => ({
  total: found.rows.length,
  row: (index) => found.rows[index]!,
  find: (key) => found.rows.findIndex((row) => row.key === key),
}))
