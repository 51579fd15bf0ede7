import type { StoreApi } from 'zustand/vanilla'
import { byUrgency, waitingName } from '../../domain/attention.ts'
import { type NoticeSettings, noticeText } from '../../domain/notices.ts'
import type { Attention } from '../../operations/read-board.ts'
import type { ConsoleState } from '../state.ts'
import { isOnScreen } from './sight.ts'

/** Milliseconds after the start in which nothing is announced, and between two announcements. */
const CALM = 1000

/**
 * Calls back with one text for all that has come to wait since, if it is not on the screen anyhow. What waited when the
 * console was opened, or came in its first second, stands on its first screen. Gives what stops it.
 */
export const startAnnouncer = (store: StoreApi<ConsoleState>, { quiet }: Pick<NoticeSettings, 'quiet'>, announce: (text: string) => void, calm = CALM): (() => void) => {
  let known = new Set<string>()
  let fresh: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | undefined
  let begun = false
  const current = (): readonly Attention[] => store.getState().board.attention

  const flush = (): void => {
    timer = undefined
    const state = store.getState()
    const items = byUrgency(current().filter((item) => fresh.has(waitingName(item)) && !isOnScreen(state, item)))
    fresh = new Set()
    if (items.length === 0) return
    announce(noticeText(items.map(({ text }) => text)))
    timer = setTimeout(flush, calm)
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
    clearTimeout(beginning)
    clearTimeout(timer)
    unsubscribe()
  }
}
