import { agentIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, tableRows } from './markdown.ts'
import { isNone, oneLine, plainWord, shown, taskOf, wholeNumberOf } from './values.ts'

/** A row of the table of agents, with one line per text. */
export interface SessionAgent {
  readonly id: string
  readonly cli: string
  readonly pid: number | null
  readonly status: string
  /** N of `task-N`. */
  readonly task: number | null
}

const columns = ['Agent ID', 'CLI', 'PID', 'Status', 'Task'] as const

/**
 * The rows of the tables among these blocks; other blocks are kept. Refuses other columns, and a cell of the wrong
 * kind.
 */
export const readAgents = (
  body: readonly Block[],
  file: string,
  keep: (block: Block) => void,
): readonly SessionAgent[] =>
  body.flatMap((block) => {
    if (block.kind === 'table') return readRows(block, file)
    keep(block)
    return []
  })

/** Columns are as wide as their titles, as in the seed; null is a dash. */
export const renderAgents = (agents: readonly SessionAgent[]): string =>
  [
    row(columns),
    `|${columns.map((name) => '-'.repeat(name.length + 2)).join('|')}|`,
    ...agents.map(({ id, cli, pid, status, task }) =>
      row([id, cli, pid === null ? '-' : String(pid), status, task === null ? '-' : `task-${task}`]),
    ),
  ].join('\n')

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell, at) => oneLine(cell).replaceAll('|', '\\|').padEnd(columns[at]!.length)).join(' | ')} |`

const readRows = (table: Block, file: string): readonly SessionAgent[] => {
  const [head, ...rows] = tableRows(table)
  const at = columns.map((name) =>
    head!.cells.findIndex((cell) => plainWord(cell).toLowerCase() === name.toLowerCase()),
  )
  if (at.includes(-1) || head!.cells.length !== columns.length)
    throw new FormatError(file, table.line, `the columns of the agent table are not ${columns.join(', ')}.`)
  return rows.map(({ line, cells }) =>
    readAgent(
      at.map((column) => cells[column] ?? ''),
      line,
      file,
    ),
  )
}

const readAgent = (cells: readonly string[], line: number, file: string): SessionAgent => {
  const [id, cli, pid, status, task] = cells as readonly [string, string, string, string, string]
  if (!agentIdPattern.test(plainWord(id)))
    throw new FormatError(
      file,
      line,
      `${shown(id)} is not a valid agent id; use 1 to 50 letters, digits, '-' or '_', beginning with a letter or digit.`,
    )
  const number = isNone(pid) ? null : wholeNumberOf(pid)
  if (number === undefined) throw new FormatError(file, line, `${shown(pid)} is not a PID; write a whole number or -.`)
  const named = isNone(task) ? null : taskOf(task)
  if (named === undefined || (named && named.more !== ''))
    throw new FormatError(file, line, `${shown(task)} is not a task; write task-1 or -.`)
  return { id: plainWord(id), cli, pid: number, status, task: named?.id ?? null }
}
