import { changedLines, changeWords, type FieldChange } from '../../domain/task/edits.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import type { TaskHistoryEntry } from '../../operations/tasks/get-task-history.ts'

export const editedText = (id: number, changes: readonly FieldChange[]): string =>
  changes.length === 0
    ? `Task ${id} has these values already; nothing changed.`
    : [`Task ${id} changed.`, ...changes.flatMap(changeLines)].join('\n')

export const historyText = (entries: readonly TaskHistoryEntry[]): string =>
  entries
    .flatMap(({ at, actor, did, changes }) => [`${at}  ${safeText(actor)}  ${did}`, ...changes.flatMap(changeLines)])
    .join('\n')

const changeLines = (change: FieldChange): readonly string[] => [
  `  ${safeText(changeWords(change))}`,
  ...changedLines(change).map((line) => `    ${safeText(line)}`),
]
