import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { fact, widthIn } from '../../rows/lines.ts'
import { taskOf } from '../../core/selection.ts'
import type { SheetContent } from '../../core/registry.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { entriesIn } from './lists.ts'
import type { Entry } from './entries/entry.ts'
import { type RecordRef, turnsOf } from './state.ts'
import { longText, rememberedLines } from './text-lines.ts'
import { turnLines } from './turn-lines.ts'
import { longTime } from './words.ts'
import { commonText } from '../../../text/common.ts'
import { memoryText, recordFacts, turnText } from '../../../text/memory.ts'

/** The record that Enter opens, and the trail of a task; undefined if it is gone. */
export const recordSheet = (state: ConsoleState, record: RecordRef): SheetContent | undefined => {
  const width = widthIn(state)
  if (record.of === 'note')
    return sheetOfLines(safeText(turnText.noteOn(record.note.taskId)), noteLines(record.note, width))
  if (record.of === 'entry') {
    const entries = entriesIn(state.memory, record.tab)
    if (!entries) return sheetOfLines(ours(memoryText.title), reading)
    const at = entries.find(record.key)
    return at === -1 ? undefined : sheetOfLines(entries.row(at).title, entryLines(entries.row(at), width))
  }
  const { turns } = state.memory
  const lines =
    turns?.of === turnsOf(record) ? (turns.turns.length === 0 ? noAttempt : turnsLines(turns.turns, width)) : reading
  return sheetOfLines(titleOf(state, record), lines)
}

const titleOf = (state: ConsoleState, record: Extract<RecordRef, { of: 'trail' | 'message' }>): SafeText => {
  if (record.of === 'message') return ours(turnText.conversationAndExecution)
  const title = taskOf(state, record.taskId)?.title ?? null
  return safeText(turnText.trailOf(record.taskId, title))
}

const reading: readonly Line[] = [{ text: ours(commonText.reading), dim: true }]
const noAttempt: readonly Line[] = [{ text: ours(turnText.noAttempt), dim: true }]

const entryLines = rememberedLines<Entry>((entry, width) => entry.read(width))
const turnsLines = rememberedLines(turnLines)

const noteLines = rememberedLines<TaskLogView>((note, width) => [
  ...fact(recordFacts.task, note.taskId),
  ...fact(recordFacts.agent, note.agentId),
  ...fact(recordFacts.when, longTime(note.loggedAt)),
  ...fact(recordFacts.level, note.level),
  ...fact(recordFacts.attempt, note.attempt),
  ...fact(recordFacts.progress, note.percent === null ? null : `${note.percent}%`),
  { text: ours('') },
  ...longText(note.message, width, turnText.wholeNote(note.taskId)),
])
