import type { Line } from '../../../../components/Lines.tsx'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { duration, elapsed } from '../../../domain/words/time.ts'
import type { Turn } from '../../../operations/memory/trail.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { commonText } from '../../../text/common.ts'
import { memoryText, recordFacts, turnText } from '../../../text/memory.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { SheetContent } from '../../core/registry.ts'
import { taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { fact, paragraph, usageWords, widthIn, written } from '../../rows/lines.ts'
import { entriesIn, turnsOf } from './memory.ts'
import { type Entry, longText, longTime, type RecordRef, rememberedLines, section } from './rows.ts'

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

/** Conversations and executions, turn by turn, oldest first. */
const turnLines = (turns: readonly Turn[], width: number): readonly Line[] =>
  turns.flatMap((turn, index) => [
    ...(index === 0 ? [] : [{ text: ours('') }]),
    ...headLines(turn, width),
    ...saidLines(turn, width),
    ...doneLines(turn, width),
  ])

const turnsLines = rememberedLines(turnLines)

const headLines = ({ messageId, attempt, conversation, execution }: Turn, width: number): readonly Line[] => {
  if (!attempt)
    return [
      ...fact(recordFacts.message, messageId),
      ...fact(recordFacts.when, longTime((conversation ?? execution)?.at ?? '')),
      ...metaFacts(conversation?.metaData ?? execution?.metaData ?? {}),
    ]
  const { agentId, claimedAt, endedAt, outcome, error } = attempt
  const how =
    endedAt === null ? commonText.underWay : turnText.outcomeAfter(outcome, duration(elapsed(claimedAt, endedAt)))
  const failed = outcome !== null && outcome !== 'completed'
  return [
    {
      text: ours(
        `${outcome === null ? '●' : failed ? '✗' : '✓'} ${turnText.attempt(attempt.attempt, safeText(agentId), how)}`,
      ),
      bold: true,
      colour: outcome === null ? 'green' : failed ? 'red' : 'cyan',
    },
    ...fact(recordFacts.began, longTime(claimedAt)),
    ...fact(recordFacts.message, messageId),
    ...fact(recordFacts.tokens, usageWords(attempt).replace(/^, /, '')),
    ...(failed && error !== null
      ? written(turnText.error(error), width).map((line): Line => ({ ...line, colour: 'red' }))
      : []),
  ]
}

/** The facts in a record's metadata that are plain values. */
const metaFacts = (metaData: Readonly<Record<string, unknown>>): readonly Line[] =>
  Object.entries(metaData)
    .slice(0, 20)
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? fact(safeText(name.slice(0, 13)), String(value).slice(0, 200))
        : [],
    )

const saidLines = ({ attempt, conversation }: Turn, width: number): readonly Line[] => {
  if (!conversation)
    return [
      { text: ours(attempt && attempt.endedAt === null ? turnText.notEndedYet : turnText.nothingStored), dim: true },
    ]
  const whole = turnText.wholeConversation
  return [
    ...section(turnText.prompt, longText(conversation.userInput, width, whole)),
    ...section(turnText.answer, longText(conversation.agentResponse, width, whole)),
  ]
}

const doneLines = ({ attempt, execution }: Turn, width: number): readonly Line[] => {
  if (!execution) return attempt ? [] : [{ text: ours('') }, { text: ours(turnText.noExecution), dim: true }]
  const { success, durationMs, summary, toolsUsed, errors, observations, metaData } = execution
  const further = typeof metaData['further_tools'] === 'number' ? turnText.furtherCalls(metaData['further_tools']) : ''
  return [
    ...section(
      turnText.execution(success),
      [
        ...fact(
          recordFacts.duration,
          durationMs === null ? commonText.unknown : durationMs < 1000 ? `${durationMs} ms` : duration(durationMs),
        ),
        ...written(summary, width),
      ],
      success ? 'green' : 'red',
    ),
    ...section(
      turnText.tools(toolsUsed.length),
      toolsUsed.length === 0 ? [] : paragraph(`${inARow(toolsUsed)}${further}`, width),
    ),
    ...section(
      turnText.errors(errors.length),
      errors.flatMap((error) =>
        written(
          [error['tool'], error.error_type, error.error_message].filter((part) => typeof part === 'string').join(': '),
          width,
        ),
      ),
      'red',
    ),
    ...section(turnText.observations, observations === '' ? [] : longText(observations, width, '')),
  ]
}

/** `Read ×3, Edit, Bash`: names in their order, with the number of repetitions in a row. */
const inARow = (names: readonly string[]): string => {
  const runs: { name: string; times: number }[] = []
  for (const name of names) {
    const last = runs.at(-1)
    if (last?.name === name) last.times++
    else runs.push({ name, times: 1 })
  }
  return runs.map(({ name, times }) => (times === 1 ? name : `${name} ×${times}`)).join(', ')
}

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
