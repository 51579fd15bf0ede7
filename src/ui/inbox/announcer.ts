import type { StoreApi } from 'zustand/vanilla'
import { byUrgency, waitingName } from '../../domain/attention.ts'
import { type NoticeSettings, noticeText } from '../../domain/notices.ts'
import type { Attention } from '../../operations/read-board.ts'
import type { ConsoleState } from '../state.ts'
import { isOnScreen } from './sight.ts'

/** Milliseconds after the start in which nothing is announced, and between two announcements. */
const CALM = 1000

/** Whoever has pressed no key for so long (ms) may look elsewhere. */
const AWAY = 60_000

export interface Announcing {
  readonly announce: (text: string) => void
  /** Milliseconds since the last key. */
  readonly idle: () => number
  readonly calm?: number
  readonly away?: number
}

/**
 * Calls back with one text for all that has come to wait since. What is on the screen while keys are pressed has been
 * seen; if it still waits when none was pressed for a while, it is announced then. What waited when the console was
 * opened, or came in its first second, stands on its first screen. Gives what stops it.
 */
export const startAnnouncer = (store: StoreApi<ConsoleState>, { quiet }: Pick<NoticeSettings, 'quiet'>, { announce, idle, calm = CALM, away = AWAY }: Announcing): (() => void) => {
  let known = new Set<string>()
  let fresh: ReadonlySet<string> = new Set()
  /** Was on the screen when it came. */
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
    seen = new Set(
      current()
        .map(waitingName)
        .filter((name) => seen.has(name)),
    )
    const left = away - idle()
    reminder = seen.size > 0 && left > 0 ? setTimeout(remind, left) : undefined
    if (reminder !== undefined || seen.size === 0) return
    fresh = new Set([...fresh, ...seen])
    seen = new Set()
    timer ??= setTimeout(flush, 0)
  }
  const look = (): void => {
    const names = new Map(current().map((item) => [waitingName(item), item]))
    const added = [...names].filter(([name, { kind }]) => !known.has(name) && !quiet.includes(kind)).map(([name]) => name)
    known = new Set(names.keys())
    if (!begun || added.length === 0) return
    fresh = new Set([...fresh, ...added])
    // A moment in which what comes with it comes in, and the screen shows what it shows.
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
