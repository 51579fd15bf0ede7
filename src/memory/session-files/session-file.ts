import { type SessionState, sessionStates } from '../../domain/session/session.ts'
import { FormatError } from '../format-error.ts'
import { agentIdPattern, sessionIdPattern } from './file-names.ts'
import { type Block, listBelow, readDocument, tableRows } from './markdown.ts'
import { documentOf, keyOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import {
  escapedDashes,
  isNone,
  oneLine,
  plainDashes,
  plainWord,
  shown,
  taskOf,
  wholeNumberOf,
  wordOf,
} from './values.ts'

type Place = 'head' | 'agents' | 'configuration' | 'summary' | 'end'

/** `orchestrator-session.md`: a session, its agents and its result. */
export interface SessionFile {
  readonly id: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly status: SessionState
  readonly agents: readonly SessionAgent[]
  /** Null if the file does not state it. `pollInterval` is a text such as `30s`. */
  readonly configuration: {
    readonly maxParallel: number | null
    readonly maxRetries: number | null
    readonly pollInterval: string | null
  }
  /** Null until the session has ended. */
  readonly summary: SessionSummary | null
  /** `head` is above the agents, `end` (unknown headings) at the end, the others at the end of their section. */
  readonly other: Other<Place>
}

/** A row of the table of agents, with one line per text. */
interface SessionAgent {
  readonly id: string
  readonly cli: string
  readonly pid: number | null
  readonly status: string
  /** N of `task-N`. */
  readonly task: number | null
}

interface SessionSummary {
  readonly totalTasks: number
  readonly completed: number
  readonly failed: number
  /** One line each. */
  readonly filesCreated: readonly string[]
  readonly issues: readonly string[]
}

const settings = ['max_parallel', 'max_retries', 'poll_interval'] as const

/** Refuses a file without id, start or state, with a value of the wrong kind, or with one of its headings twice. */
export const parseSession = (text: string, file: string): SessionFile => {
  const document = readDocument(text, true)
  if (document.open !== undefined)
    throw new FormatError(file, document.open, 'a code fence or comment begins here and is never closed; close it.')
  const { above, sections } = sectionsOf(document.blocks, 2)
  const other = new LeftOver<Place>()
  other.keep('head', ...above)
  const known = new Map<string, Section>()
  for (const section of sections) {
    const name = nameOf(section)
    if (section.depth === 2 && /^(?:id|started|status|agents|configuration|summary)$/.test(name)) {
      if (known.has(name))
        throw new FormatError(file, section.heading.line, `there is a second heading ${shown(section.text)}; keep one.`)
      known.set(name, section)
      if (/^(?:id|started|status)$/.test(name)) other.keep('head', ...section.body)
    } else if (name === 'orchestrator session') other.keep('head', ...section.body)
    else other.keep('end', section.heading, ...section.body)
  }
  const status = needed(known, 'status', file)
  return {
    id: idOf(needed(known, 'id', file), file),
    startedAt: instantOf(needed(known, 'started', file), file),
    status: wordOf(status.value, sessionStates, { file, line: status.heading.line, what: 'status' }),
    agents: readAgents(known.get('agents')?.body ?? [], file, (block) => other.keep('agents', block)),
    configuration: configurationOf(known.get('configuration')?.body ?? [], file, (block) =>
      other.keep('configuration', block),
    ),
    summary: summaryOf(known.get('summary')?.body ?? [], file, (block) => other.keep('summary', block)),
    other: other.all(),
  }
}

export const renderSession = ({ id, startedAt, status, agents, configuration, summary, other }: SessionFile): string =>
  documentOf(
    `# Orchestrator Session\n## ID: ${id}\n## Started: ${startedAt}\n## Status: ${status}`,
    other.head,
    `## Agents\n${renderAgents(agents)}`,
    other.agents,
    ['## Configuration', ...renderConfiguration(configuration)].join('\n'),
    other.configuration,
    summary === null && other.summary === undefined
      ? ''
      : ['## Summary (filled on completion)', ...(summary === null ? [] : renderSummary(summary))].join('\n'),
    other.summary,
    other.end,
  )

const renderConfiguration = ({
  maxParallel,
  maxRetries,
  pollInterval,
}: SessionFile['configuration']): readonly string[] => [
  ...(maxParallel === null ? [] : [`- MAX_PARALLEL: ${maxParallel}`]),
  ...(maxRetries === null ? [] : [`- MAX_RETRIES: ${maxRetries}`]),
  ...(pollInterval === null ? [] : [`- POLL_INTERVAL: ${oneLine(pollInterval)}`]),
]

/** The seed's own heading is `## Summary (filled on completion)`. */
const nameOf = ({ name }: Section): string => name.replace(/^(summary) \(.*$/s, '$1')

const needed = (known: ReadonlyMap<string, Section>, name: string, file: string): Section => {
  const section = known.get(name)
  if (!section)
    throw new FormatError(
      file,
      1,
      `the heading ## ${name === 'id' ? 'ID' : name === 'started' ? 'Started' : 'Status'}: is missing.`,
    )
  return section
}

const idOf = ({ heading, value }: Section, file: string): string => {
  if (sessionIdPattern.test(plainWord(value))) return plainWord(value)
  throw new FormatError(
    file,
    heading.line,
    value.includes('{')
      ? "the session id is still the template's; write session-YYYYMMDD-HHMMSS."
      : `${shown(value)} is not a session id; write session-YYYYMMDD-HHMMSS.`,
  )
}

const instantOf = ({ heading, value }: Section, file: string): string => {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(Date.parse(value))) return value
  throw new FormatError(file, heading.line, `${shown(value)} is not a time; write one such as 2026-01-30T14:22:33Z.`)
}

const configurationOf = (
  body: readonly Block[],
  file: string,
  keep: (block: Block) => void,
): SessionFile['configuration'] => {
  const found = bulletsOf(body, settings, keep)
  const number = (key: (typeof settings)[number]): number | null => {
    const setting = found.get(key)
    return setting ? numberOf(setting, key.toUpperCase(), file) : null
  }
  return {
    maxParallel: number('max_parallel'),
    maxRetries: number('max_retries'),
    pollInterval: oneLine(found.get('poll_interval')?.value ?? '') || null,
  }
}

const columns = ['Agent ID', 'CLI', 'PID', 'Status', 'Task'] as const

/**
 * The rows of the tables among these blocks; other blocks are kept. Refuses other columns, and a cell of the wrong
 * kind.
 */
const readAgents = (body: readonly Block[], file: string, keep: (block: Block) => void): readonly SessionAgent[] =>
  body.flatMap((block) => {
    if (block.kind === 'table') return readRows(block, file)
    keep(block)
    return []
  })

/** Columns are as wide as their titles, as in the seed; null is a dash. */
const renderAgents = (agents: readonly SessionAgent[]): string =>
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

const totals = ['total tasks', 'completed', 'failed', 'files created', 'issues'] as const

/** The template's `X` and `[list]` mean that there is none yet. */
const summaryOf = (body: readonly Block[], file: string, keep: (block: Block) => void): SessionSummary | null => {
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

const renderSummary = ({ totalTasks, completed, failed, filesCreated, issues }: SessionSummary): readonly string[] => [
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

/** Bullets with these keys; the first of each counts, and other blocks are kept. */
const bulletsOf = <K extends string>(
  body: readonly Block[],
  keys: readonly K[],
  keep: (block: Block) => void,
): ReadonlyMap<K, { readonly item: Block; readonly value: string }> => {
  const found = new Map<K, { readonly item: Block; readonly value: string }>()
  const below = body.findIndex(({ kind }) => kind === 'heading')
  for (const [at, block] of body.entries()) {
    const keyed = block.kind === 'item' && (below === -1 || at < below) ? keyOf(block, keys) : undefined
    if (!keyed || found.has(keyed.key)) keep(block)
    else if (keyed.value !== '') found.set(keyed.key, { item: block, value: keyed.value })
  }
  return found
}

const numberOf = (
  { item, value }: { readonly item: Block; readonly value: string },
  what: string,
  file: string,
): number => {
  const number = wholeNumberOf(value)
  if (number === undefined)
    throw new FormatError(file, item.line, `${shown(value)} is not a valid ${what}; write a whole number.`)
  return number
}
