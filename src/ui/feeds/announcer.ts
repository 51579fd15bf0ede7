import type { StoreApi } from 'zustand/vanilla'
import { byUrgency, waitingName } from '../../domain/request/inbox.ts'
import { type NoticeSettings, noticeText } from '../../domain/settings/notices.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import { viewOf } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { seesAgent, seesTask, seesWorktree } from '../panes/list.ts'

/** Milliseconds after the start without announcements, and between two of them. */
const CALM = 1000

/** A person who has pressed no key for so long (ms) may look elsewhere. */
const AWAY = 60_000

interface Announcing {
  readonly announce: (text: string) => void
  /** Milliseconds since the last key. */
  readonly idle: () => number
  readonly calm?: number
  readonly away?: number
}

/**
 * Calls back with one text for all new items. An item on the screen while keys are pressed counts as seen; if it still
 * waits when no key was pressed for a while, it is announced then. Items from before the console was opened, or from
 * its first second, are on its first screen. Returns a function that stops it.
 */
export const startAnnouncer = (
  store: StoreApi<ConsoleState>,
  { quiet }: Pick<NoticeSettings, 'quiet'>,
  { announce, idle, calm = CALM, away = AWAY }: Announcing,
): (() => void) => {
  const arrivals = makeArrivals(quiet)
  let fresh: ReadonlySet<string> = new Set()
  /** Items that were on the screen when they arrived. */
  let seen: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | undefined
  let reminder: NodeJS.Timeout | undefined
  let begun = false
  const current = (): readonly Attention[] => store.getState().board.attention

  const flush = (): void => {
    timer = undefined
    const state = store.getState()
    const items = byUrgency(current().filter((item) => fresh.has(waitingName(item))))
    const isSeen = (item: Attention): boolean => idle() < away && isOnScreen(state, item)
    const [here, elsewhere] = [items.filter(isSeen), items.filter((item) => !isSeen(item))]
    fresh = new Set()
    if (here.length > 0) {
      seen = new Set([...seen, ...here.map(waitingName)])
      reminder ??= setTimeout(remind, away - idle())
    }
    if (elsewhere.length === 0) return
    announce(noticeText(elsewhere.map(({ text }) => text)))
    timer = setTimeout(flush, calm)
  }
  const remind = (): void => {
    const still = current().map(waitingName)
    seen = new Set(still.filter((name) => seen.has(name)))
    const left = away - idle()
    reminder = seen.size > 0 && left > 0 ? setTimeout(remind, left) : undefined
    if (reminder !== undefined || seen.size === 0) return
    fresh = new Set([...fresh, ...seen])
    seen = new Set()
    timer ??= setTimeout(flush, 0)
  }
  const look = (): void => {
    const added = arrivals(current())
    if (!begun || added.length === 0) return
    fresh = new Set([...fresh, ...added])
    // A short delay for simultaneous items, and for the screen to show them.
    timer ??= setTimeout(flush, Math.min(200, calm))
  }

  const beginning = setTimeout(() => {
    look()
    begun = true
  }, calm)
  const unsubscribe = store.subscribe((after, before) => {
    if (after.board.attention !== before.board.attention) look()
  })
  return () => {
    for (const one of [beginning, timer, reminder]) clearTimeout(one)
    unsubscribe()
  }
}

/** Returns the names of the items that were missing at the last call, without quiet ones. */
const makeArrivals = (quiet: NoticeSettings['quiet']) => {
  let known = new Set<string>()
  return (items: readonly Attention[]): readonly string[] => {
    const names = new Map(items.map((item) => [waitingName(item), item]))
    const added = [...names]
      .filter(([name, { kind }]) => !known.has(name) && !quiet.includes(kind))
      .map(([name]) => name)
    known = new Set(names.keys())
    return added
  }
}

/** True if the screen shows that an item waits: in its own view, in the list, or by the mark of a row. */
const isOnScreen = (state: ConsoleState, item: Attention): boolean => {
  const { overlay } = state.view
  if (overlay) return viewOf(state, overlay).shows?.(state, overlay, item) ?? false
  return (
    (item.taskId !== null && seesTask(state, item.taskId)) ||
    (item.agentId !== null && seesAgent(state, item.agentId)) ||
    (item.worktree !== null && seesWorktree(state, item.worktree))
  )
}
