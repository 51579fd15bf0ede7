import { FormatError } from './format-error.ts'
import { type Block, listBelow } from './markdown.ts'
import { escapedDashes, isNone, oneLine, plainDashes } from './values.ts'
import { bulletsOf, numberOf } from './session-bullets.ts'

export interface SessionSummary {
  readonly totalTasks: number
  readonly completed: number
  readonly failed: number
  /** One line each. */
  readonly filesCreated: readonly string[]
  readonly issues: readonly string[]
}

const totals = ['total tasks', 'completed', 'failed', 'files created', 'issues'] as const

/** The template's `X` and `[list]` mean that there is none yet. */
export const summaryOf = (
  body: readonly Block[],
  file: string,
  keep: (block: Block) => void,
): SessionSummary | null => {
  const found = bulletsOf(body, totals, keep)
  const said = totals.flatMap((key) => found.get(key) ?? []).filter(({ value }) => !/^(?:X|\[list\])$/.test(value))
  if (said.length === 0) return null
  const number = (key: (typeof totals)[number]): number => {
    const total = found.get(key)
    if (!total) throw new FormatError(file, said[0]!.item.line, `the summary has no '${key}'.`)
    return numberOf(total, key, file)
  }
  return {
    totalTasks: number('total tasks'),
    completed: number('completed'),
    failed: number('failed'),
    filesCreated: valuesOf(found.get('files created')?.item),
    issues: valuesOf(found.get('issues')?.item),
  }
}

/** One bullet each, otherwise separated by commas. */
const valuesOf = (item: Block | undefined): readonly string[] => {
  if (!item) return []
  const { head, texts } = listBelow(item)
  if (texts.length > 0) return texts.map((text) => plainDashes(oneLine(text))).filter((text) => text !== '')
  const inline = oneLine(head.slice(head.indexOf(':') + 1).replace(/^\*\*/, '')).replace(/^\[(.*)\]$/s, '$1')
  return isNone(inline) || inline === 'list'
    ? []
    : inline
        .split(',')
        .map((text) => text.trim())
        .filter((text) => text !== '')
}

export const renderSummary = ({
  totalTasks,
  completed,
  failed,
  filesCreated,
  issues,
}: SessionSummary): readonly string[] => [
  `- Total Tasks: ${totalTasks}`,
  `- Completed: ${completed}`,
  `- Failed: ${failed}`,
  ...renderList('Files Created', filesCreated),
  ...renderList('Issues', issues),
]

/** One bullet each, because both may contain commas. */
const renderList = (key: string, values: readonly string[]): readonly string[] => {
  const texts = values.map(oneLine).filter((text) => text !== '')
  return texts.length === 0 ? [`- ${key}: none`] : [`- ${key}:`, ...texts.map((text) => `  - ${escapedDashes(text)}`)]
}
