import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

/** How many tasks meet the filter; not complete while the board is still being looked through. */
export interface Found {
  readonly count: number
  readonly complete: boolean
}

/** A window of the tasks that meet a filter, by their numbers. */
export interface MatchWindow {
  readonly among: number[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface Matches {
  /** Looks through the board as far as a window needs; goes on with the rest by and by. Gives none where `wanted` no longer holds. */
  window(where: string, around: number, wanted: () => boolean): Promise<MatchWindow | undefined>
  /** What was found so far, in pieces of `SPAN` numbers from 1 on: one that says the same stays the same object. Undefined before anybody asked for a window of it. */
  readonly pieces: (where: string) => readonly (readonly number[])[] | undefined
  /** Calls back when a piece says something new. */
  readonly watch: (listener: () => void) => void
  readonly stop: () => void
}

/** Numbers of tasks that are looked at in one go: 0.04 to 1.5 ms at any size (`npm run bench -- reads`), so that no key waits for more. */
export const SPAN = 2000

/** Milliseconds between two of them in the background: all of 100,000 tasks are seen in 1.4 to 1.6 s, with 4 to 9 % of a core (measured with words, `state` and `time`). */
const PAUSE = 25

export const BEFORE = 100
export const AFTER = 200

/**
 * Which tasks meet a filter, kept in pieces of `SPAN` numbers: no refresh scans the board. Each looks anew at the piece
 * it shows and at the last one, where new tasks come in; the others follow one at a time in the background, once for
 * every change of the database. `again` is called when one of those says something new.
 */
export const makeMatches = (
  find: (where: string, from: number) => Promise<{ readonly ids: readonly number[]; readonly next: number | null }>,
  told: (found: Found) => void,
  again: () => void,
): Matches => {
  let where = ''
  let pieces: (readonly number[])[] = []
  let complete = false
  let toGo = 0
  let cursor = 0
  let running = false
  let stopped = false
  const listeners: (() => void)[] = []

  const tell = (): void => told({ count: pieces.reduce((sum, ids) => sum + ids.length, 0), complete })

  /** True where the piece says something new. */
  const look = async (index: number): Promise<boolean> => {
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
    if (isNew) for (const listener of listeners) listener()
    return isNew
  }

  const inBackground = async (): Promise<void> => {
    running = true
    while (!stopped && where !== '' && (toGo > 0 || !complete)) {
      await pause(PAUSE)
      if (stopped) break
      const known = complete
      cursor = known ? (cursor + 1) % pieces.length : pieces.length
      toGo -= 1
      const changed = await look(cursor)
      tell()
      if (changed && known) again()
    }
    running = false
  }

  return {
    window: async (asked, around, wanted) => {
      if (asked !== where) [where, pieces, complete, toGo] = [asked, [], false, 0]
      const shown = Math.floor((Math.max(1, around) - 1) / SPAN)
      const last = complete ? pieces.length - 1 : -1
      if (shown < pieces.length && shown !== last) await look(shown)
      if (last !== -1) await look(last)
      while (!complete && wanted() && countFrom(pieces, around) <= AFTER) {
        await look(pieces.length)
        tell()
        await turn()
      }
      if (!wanted()) return undefined
      tell()
      toGo = pieces.length > 2 ? pieces.length : 0
      if (!running) void inBackground().catch(() => (running = false))
      return cut(pieces.flat(), around, complete)
    },
    pieces: (asked) => (asked === where ? pieces : undefined),
    watch: (listener) => void listeners.push(listener),
    stop: () => (stopped = true),
  }
}

const countFrom = (pieces: readonly (readonly number[])[], around: number): number => pieces.reduce((sum, ids) => sum + ids.filter((id) => id >= around).length, 0)

const cut = (ids: readonly number[], around: number, complete: boolean): MatchWindow => {
  const first = ids.findIndex((id) => id >= around)
  const at = first === -1 ? ids.length : first
  const from = Math.max(0, at - BEFORE)
  return { among: ids.slice(from, at + AFTER), moreBefore: from > 0, moreAfter: at + AFTER < ids.length || !complete }
}
