import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { Memory } from '../../../../components/Memory.tsx'
import { firstSeen, listIn, type MemoryList, type MemoryOverlay, rowsOf, tabsOf } from './memory.ts'
import type { ConsoleState } from '../../core/state.ts'
import { commonText } from '../../../text/common.ts'
import { memoryText } from '../../../text/memory.ts'

const nothing: Record<MemoryList, string> = memoryText.nothing

/** The memory pane with its visible rows. */
export const MemoryView = ({
  state,
  overlay,
  columns,
  taken,
}: {
  state: ConsoleState
  overlay: MemoryOverlay
  columns: number
  taken: number
}) => {
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  const [total, height] = [rows?.total ?? 0, Math.max(2, taken - 2)]
  const { at } = overlay.places[list]
  const from = firstSeen(overlay.places[list], total, height - 1)
  const lines = Array.from({ length: Math.max(0, Math.min(height - 1, total - from)) }, (_, index): Line => {
    const cursor = from + index === Math.min(at, total - 1)
    const { line, narrow = line } = rows!.row(from + index)
    return { ...(columns < 80 ? narrow : line), lead: ours(''), cursor }
  })
  const summary = state.memory.found?.summary ?? ''
  const sought = list === 'found' ? ours(`/${safeText(overlay.words)}${summary === '' ? '' : `  ${summary}`}`) : null
  return (
    <Memory
      tabs={tabsOf(list)}
      sought={sought}
      rows={lines}
      top={from}
      total={total}
      empty={ours(rows ? nothing[list] : commonText.reading)}
      width={columns}
      height={height}
    />
  )
}
