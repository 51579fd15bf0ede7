import { ours, safeText } from '../../../../domain/words/safe-text.ts'
import { paragraph } from '../../../rows/lines.ts'
import type { Entry } from './entry.ts'
import type { MemoryTab } from '../state.ts'
import { memoryText } from '../../../../text/memory.ts'

/** A file that cannot be read, as one sentence. */
export const problemEntry = (tab: Exclude<MemoryTab, 'conversations'>, problem: string): Entry => {
  const key = `problem:${problem}`
  return {
    key,
    line: { text: ours(`✗ ${safeText(problem)}`), colour: 'red' },
    opens: { of: 'entry', tab, key },
    title: ours(memoryText.unreadable),
    sought: null,
    read: (width) => paragraph(problem, width),
  }
}
