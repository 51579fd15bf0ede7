import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { filterText } from '../../text/tasks.ts'
import type { Transition } from '../core/state.ts'

/** The number of tasks that match the filter; not complete while the board is being searched. */
export interface Found {
  readonly count: number
  readonly complete: boolean
}

/** A window of the tasks that match a filter, by their numbers. */
interface MatchWindow {
  readonly among: number[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface Matches {
  /**
   * Searches the board as far as a window requires, and continues in the background. Undefined once `wanted` returns
   * false.
   */
  window(where: string, around: number, wanted: () => boolean): Promise<MatchWindow | undefined>
  /**
   * The matches so far, in pieces of `SPAN` numbers from 1 on: an unchanged piece stays the same object. Undefined
   * before a window was requested.
   */
  readonly pieces: (where: string) => readonly (readonly number[])[] | undefined
  /** Calls back when a piece has changed. */
  readonly watch: (listener: () => void) => void
  readonly stop: () => void
}

/**
 * Milliseconds between two pieces in the background: all of 100,000 tasks are checked in 1.4 to 1.6 s, with 4 to 9 %
 * of a core (measured with words, `state` and `time`).
 */
const PAUSE = 25

export const BEFORE = 100
export const AFTER = 200

/**
 * The tasks that match a filter, cached in pieces of `SPAN` numbers: no refresh scans the board. Each refresh checks
 * the visible piece and the last one, where new tasks appear; the others follow one at a time in the background, once
 * for every change of the database. `again` is called when one of those has changed.
 */
export const makeMatches = (find: Find, told: (found: Found) => void, again: () => void): Matches => {
  const listeners: (() => void)[] = []
  const all = makePieces(find, () => listeners.forEach((listener) => listener()))
  let toGo = 0
  let cursor = 0
  let running = false
  let stopped = false

  const tell = (): void =>
    told({ count: all.pieces().reduce((sum, ids) => sum + ids.length, 0), complete: all.isComplete() })

  const inBackground = async (): Promise<void> => {
    running = true
    while (!stopped && all.where() !== '' && (toGo > 0 || !all.isComplete())) {
      await pause(PAUSE)
      if (stopped) break
      const known = all.isComplete()
      cursor = known ? (cursor + 1) % all.pieces().length : all.pieces().length
      toGo -= 1
      const changed = await all.look(cursor)
      tell()
      if (changed && known) again()
    }
    running = false
  }

  return {
    window: async (asked, around, wanted) => {
      if (asked !== all.where()) {
        all.begin(asked)
        toGo = 0
      }
      const shown = Math.floor((Math.max(1, around) - 1) / SPAN)
      const last = all.isComplete() ? all.pieces().length - 1 : -1
      if (shown < all.pieces().length && shown !== last) await all.look(shown)
      if (last !== -1) await all.look(last)
      while (!all.isComplete() && wanted() && countFrom(all.pieces(), around) <= AFTER) {
        await all.look(all.pieces().length)
        tell()
        await turn()
      }
      if (!wanted()) return undefined
      tell()
      toGo = all.pieces().length > 2 ? all.pieces().length : 0
      if (!running) void inBackground().catch(() => (running = false))
      return cut(all.pieces().flat(), around, all.isComplete())
    },
    pieces: (asked) => (asked === all.where() ? all.pieces() : undefined),
    watch: (listener) => void listeners.push(listener),
    stop: () => (stopped = true),
  }
}

const countFrom = (pieces: readonly (readonly number[])[], around: number): number =>
  pieces.reduce((sum, ids) => sum + ids.filter((id) => id >= around).length, 0)

const cut = (ids: readonly number[], around: number, complete: boolean): MatchWindow => {
  const first = ids.findIndex((id) => id >= around)
  const at = first === -1 ? ids.length : first
  const from = Math.max(0, at - BEFORE)
  return { among: ids.slice(from, at + AFTER), moreBefore: from > 0, moreAfter: at + AFTER < ids.length || !complete }
}

/**
 * Numbers of tasks that are checked at once: 0.04 to 1.5 ms at any size (`npm run bench -- reads`), so that no key
 * waits longer.
 */
export const SPAN = 2000

type Find = (where: string, from: number) => Promise<{ readonly ids: readonly number[]; readonly next: number | null }>

/** The matches of one filter so far, and whether the whole board was searched. */
interface Pieces {
  readonly where: () => string
  readonly pieces: () => readonly (readonly number[])[]
  readonly isComplete: () => boolean
  readonly begin: (where: string) => void
  /** True where the piece says something new. */
  readonly look: (index: number) => Promise<boolean>
}

const makePieces = (find: Find, changed: () => void): Pieces => {
  let where = ''
  let pieces: (readonly number[])[] = []
  let complete = false
  return {
    where: () => where,
    pieces: () => pieces,
    isComplete: () => complete,
    begin: (asked) => ([where, pieces, complete] = [asked, [], false]),
    look: async (index) => {
      const asked = where
      const { ids, next } = await find(asked, index * SPAN + 1)
      if (asked !== where) return false
      const old = pieces[index]
      const isNew = old?.length !== ids.length || ids.some((id, at) => id !== old[at])
      if (isNew) pieces[index] = ids
      if (next === null) {
        pieces.length = index + 1
        complete = true
      } else if (index === pieces.length - 1) complete = false
      if (isNew) changed()
      return isNew
    },
  }
}

/** How many tasks meet the filter. */
export const found =
  (now: Found | null): Transition =>
  (state) =>
    state.found === now ||
    (state.found && now && state.found.count === now.count && state.found.complete === now.complete)
      ? state
      : { ...state, found: now }

/** `12 tasks`, or `12+` while the board is still being looked through. */
export const foundWords = (now: Found | null): string => (now === null ? '' : filterText.found(now.count, now.complete))
