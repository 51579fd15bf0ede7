import type { StoreApi } from 'zustand/vanilla'
import type { ConsoleOptions } from '../../core/controller.ts'
import { throttled, repeat } from '../../core/timers.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { type Reading, readFiles, readPage, readTurns, searchWords } from './reads.ts'
import { memoryClosed } from './reducers.ts'
import { lacksRows, shownIn } from './shown.ts'

/**
 * Milliseconds between two checks of the files, between two reads of the same rows, and between two searches for the
 * same words: one for a word in 100,000 conversations takes 0.3 s.
 */
const often = { files: 1000, rows: 100, search: 10_000 } as const

/** Reads the contents of the memory pane while it is open, after changes. Returns a function that stops it. */
export const startMemoryFeed = (
  { connection, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const reading: Reading = {
    connection,
    state: store.getState,
    change,
    shown: () => shownIn(store.getState().view.overlay),
  }
  const search = careful(() => searchWords(reading))
  const again = throttled(often.search, search)
  const files = throttled(
    often.rows,
    careful(() => readFiles(reading, again.ask)),
  )
  const page = throttled(
    often.rows,
    careful(() => readPage(reading)),
  )
  const turns = throttled(
    often.rows,
    careful(() => readTurns(reading)),
  )

  const stopped: (() => void)[] = []
  const stop = (): void => stopped.splice(0).forEach((one) => one())
  const begin = (): void => {
    stopped.push(
      repeat(often.files, files.ask),
      watch(() => [page, turns, again].forEach((one) => one.ask())),
    )
  }
  const look = (after: ConsoleState, before: ConsoleState): void => {
    if (after.view.overlay === before.view.overlay && after.view.size === before.view.size) return
    const [now, then] = [shownIn(after.view.overlay), shownIn(before.view.overlay)]
    if (!now.open) {
      if (stopped.length > 0) connection.outside.memories.forget()
      stop()
      return change(memoryClosed)
    }
    if (stopped.length === 0) begin()
    if (now.files && !then.files) files.ask()
    if (now.record !== then.record && now.record) turns.ask()
    if (now.memory && now.memory.words !== then.memory?.words) void search()
    if (now.memory && lacksRows(after, now.memory)) page.ask()
  }
  const ends = [store.subscribe(look), files.stop, page.stop, turns.stop, again.stop]
  return () => [stop, ...ends].forEach((end) => end())
}
