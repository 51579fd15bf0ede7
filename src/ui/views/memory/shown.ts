import type { ConsoleState, Overlay } from '../../core/state.ts'
import { memoryHeight } from './movement.ts'
import { listIn, type MemoryOverlay, type RecordRef } from './state.ts'

export interface Shown {
  readonly open: boolean
  readonly memory: MemoryOverlay | undefined
  /** The record in front. */
  readonly record: RecordRef | undefined
  /** True if memories in files are shown. */
  readonly files: boolean
}

/** The open parts of the memories, also below another view. */
export const shownIn = (overlay: Overlay | null | undefined): Shown => {
  let memory: MemoryOverlay | undefined
  let record: RecordRef | undefined
  for (let one = overlay; one; one = one.behind) {
    if (one.kind === 'memory') memory ??= one
    else if (one.kind === 'record') record ??= one.record
  }
  return { open: memory !== undefined || record !== undefined, memory, record, files: memory !== undefined }
}

/** True if rows are visible that were not read. */
export const lacksRows = (state: ConsoleState, memory: MemoryOverlay): boolean => {
  if (listIn(memory) !== 'conversations') return false
  const { page } = state.memory
  if (!page) return true
  const { top } = memory.places.conversations
  const last = Math.min(page.total, top + memoryHeight(state))
  return top < page.from || last > page.from + page.conversations.length
}
