import type { Instant } from '../../../domain/words/time.ts'
import type { LogLine } from '../../../../components/Log.tsx'
import { logArrived } from '../../core/reducers.ts'
import type { Transition } from '../../core/state.ts'

type Line = Omit<LogLine, 'key'>

/** Lines that were read and are not in the state yet; at most so many are kept. */
export const makePending = (most: number) => {
  let next = 0
  let pending: readonly LogLine[] = []
  let older: { readonly lines: readonly LogLine[]; readonly at: Instant } | undefined
  let reset = false
  const numbered = (lines: readonly Line[]): readonly LogLine[] => lines.map((line) => ({ ...line, key: next++ }))
  return {
    begin: (): void => {
      pending = []
      older = undefined
      reset = true
    },
    push: (lines: readonly Line[]): void => {
      // A piece may hold more lines than a call takes arguments.
      pending = [...pending, ...numbered(lines)].slice(-most)
    },
    /** Output that was written until then: before the notes that came later. */
    insert: (lines: readonly Line[], at: Instant): void => {
      older = { lines: numbered(lines), at }
    },
    flushed: (): Transition => {
      if (pending.length === 0 && !reset && older === undefined) return (state) => state
      const [added, inserted, anew] = [pending, older, reset]
      pending = []
      older = undefined
      reset = false
      return (state) => {
        const log = [...(anew ? [] : state.log), ...added]
        const later = inserted === undefined ? -1 : log.findIndex(({ at }) => at !== undefined && at > inserted.at)
        const place = later === -1 ? log.length : later
        const all = [...log.slice(0, place), ...(inserted?.lines ?? []), ...log.slice(place)].slice(-most)
        return logArrived(all, added.length + (inserted?.lines.length ?? 0))(state)
      }
    },
  }
}
