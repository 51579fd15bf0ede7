import type { StoreApi } from 'zustand/vanilla'
import { isRefusal } from '../../../domain/rules/refusal.ts'
import { listMessages } from '../../../operations/messages/inbox.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readRelatedTasks } from '../../../operations/screens/related-tasks.ts'
import { getTaskLogs } from '../../../operations/tasks/detail.ts'
import { getTaskHistory } from '../../../operations/tasks/edits.ts'
import { sizesArrived } from '../../core/reducers.ts'
import { agentOf } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { keep } from '../../core/structural-sharing.ts'
import { repeat, throttled } from '../../core/timers.ts'
import { detailOf, type DetailOver, inSight } from './detail.ts'
import { isOpen, type OpenedDetail, type Part, type Parts } from './sections.ts'

/** Milliseconds between two reads of the open detail. */
const OFTEN = 2000

/** Notes of a task that are shown. */
const NOTES = 200

/** Reads the contents of the open sections of the open detail only. Returns a function that stops it. */
export const startDetailFeed = (
  connection: Connection,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  const readers = readersOf(connection)
  const look = throttled(
    100,
    careful(async () => {
      const wanted = wantedIn(store.getState())
      if (!wanted) return
      for (const part of wanted.parts) {
        const read = await readers[part](wanted.overlay, store.getState()).then(
          (value) => ({ value }),
          (error: unknown) => {
            if (!isRefusal(error)) throw error
            return { problem: error.message }
          },
        )
        if (wantedIn(store.getState())?.of === wanted.of) store.setState(partArrived(wanted.of, part, read), true)
      }
    }),
  )
  let before = ''
  const stops = [
    look.stop,
    repeat(OFTEN, () => {
      if (wantedIn(store.getState())) look.ask()
    }),
    store.subscribe((state, old) => {
      if (
        state.view.overlay === old.view.overlay &&
        state.view.task === old.view.task &&
        state.view.agent === old.view.agent &&
        state.view.worktree === old.view.worktree
      )
        return
      const wanted = wantedIn(state)
      const now = wanted ? `${wanted.of} ${wanted.parts.join(' ')}` : ''
      if (now !== before && now !== '') look.ask()
      before = now
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

type Readers = { readonly [P in Part]: (overlay: DetailOver, state: ConsoleState) => Promise<Parts[P]> }

const readersOf = ({ core, actor, outside }: Connection): Readers => ({
  related: (overlay, { view }) =>
    perform(
      core,
      readRelatedTasks,
      { of: overlay.of === 'worktrees' ? { worktree: view.worktree! } : { taskId: view.task! } },
      actor,
    ),
  notes: (_, { view }) => perform(core, getTaskLogs, { taskId: view.task!, last: NOTES }, actor),
  history: (_, { view }) => perform(core, getTaskHistory, { taskId: view.task! }, actor),
  inspection: (_, { view }) => outside.inspectAgent(view.agent!),
  contents: (_, { view }) => outside.worktreeContents(view.worktree!),
  messages: (_, { view }) => perform(core, listMessages, { agentId: view.agent! }, actor),
  refused: (_, { view }) => outside.refusedHosts(view.agent!),
  unasked: async (_, state) => {
    const kind = agentOf(state, state.view.agent)?.kind ?? null
    return kind === null ? null : (core.unasked?.(kind) ?? null)
  },
})

/** The data that the open sections of the front detail need; undefined if none is open. */
const wantedIn = (state: ConsoleState): { overlay: DetailOver; of: string; parts: readonly Part[] } | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'detail') return undefined
  const detail = detailOf(state, overlay)
  const parts = [
    ...new Set([
      // The sections of messages and of refused hosts appear with the first one.
      ...(overlay.of === 'agents' ? (['unasked', 'messages', 'refused'] as const) : []),
      ...(detail?.sections ?? []).flatMap((section) =>
        section.part !== undefined && isOpen(overlay, section) ? [section.part] : [],
      ),
    ]),
  ]
  return detail && parts.length > 0 ? { overlay, of: detail.of, parts } : undefined
}

const partArrived =
  (of: string, part: Part, read: { readonly value: Parts[Part] } | { readonly problem: string }): Transition =>
  (state) => {
    const old: OpenedDetail = state.opened.of === of ? state.opened : { of, parts: {}, problems: {} }
    const { [part]: _, ...problems } = old.problems
    const next: OpenedDetail =
      'problem' in read
        ? { ...old, problems: { ...old.problems, [part]: read.problem } }
        : { ...old, problems, parts: { ...old.parts, [part]: keep(old.parts[part], read.value) } }
    const opened = keep(state.opened, next)
    if (opened === state.opened) return state
    const arrived = { ...state, opened }
    return old.parts[part] === undefined && old.problems[part] === undefined ? withSection(part)(arrived) : arrived
  }

/** A loaded section under the cursor has grown: its first lines are scrolled into view. */
const withSection =
  (part: Part): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'detail') return state
    const sections = detailOf(state, overlay)?.sections ?? []
    const section = sections.find(({ id }) => id === overlay.at)
    // The last one becomes visible by itself.
    if (section?.part !== part || section === sections.at(-1) || !isOpen(overlay, section)) return state
    return changingView(() => ({ overlay: inSight(state, overlay) }))(state)
  }

/** Milliseconds between two counts of the same files. */
const CALM = 30_000

/**
 * Keeps the disk space of the open worktree up to date; without one nothing is counted. Returns a function that stops
 * it.
 */
export const startSizeFeed = ({ outside }: Connection, store: StoreApi<ConsoleState>): (() => void) => {
  let open: string | null = null
  const count = async (): Promise<void> => {
    if (open === null) return
    const name = open
    // A count that fails is not shown.
    const sizes = await outside.measureWorktrees([name]).catch(() => [])
    store.setState(sizesArrived(sizes), true)
  }
  const stops = [
    repeat(CALM, count),
    store.subscribe(({ view }) => {
      const now = view.overlay?.kind === 'detail' && view.overlay.of === 'worktrees' ? view.worktree : null
      if (now === open) return
      open = now
      void count()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
