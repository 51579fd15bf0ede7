import { sessionStates, type SessionState } from '../../domain/session.ts'
import { besides, bulletsOf, headingOf, headingValue, layOut, noWord, onlySection, paragraphs, taskNumberOf, wholeNumberOf, wordOf } from './fields.ts'
import { sessionIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { escaped, indented, type Item, oneLine, type Section, sectionsOf } from './markdown.ts'

/** `orchestrator-session.md`: a session, who works in it, and what became of it. */
export interface SessionFile {
  readonly id: string
  readonly startedAt: string
  readonly status: SessionState
  readonly agents: readonly SessionAgent[]
  readonly configuration: { readonly maxParallel: number | null; readonly maxRetries: number | null; readonly pollInterval: string | null }
  readonly summary: SessionSummary | null
  /** What is none of this, as it stands. */
  readonly other: readonly string[]
}

export interface SessionAgent {
  readonly id: string
  readonly cli: string
  readonly pid: number | null
  readonly status: string
  /** N of `task-N`. */
  readonly task: number | null
}

export interface SessionSummary {
  readonly totalTasks: number
  readonly completed: number
  readonly failed: number
  readonly filesCreated: readonly string[]
  readonly issues: readonly string[]
}

const isHead = (section: Section): boolean => section.depth === 0 || ['orchestrator session', 'id', 'started', 'status'].includes(headingOf(section).key)

const columns = ['Agent ID', 'CLI', 'PID', 'Status', 'Task'] as const

export const parseSession = (text: string, file: string): SessionFile => {
  const sections = sectionsOf(text, true)
  const id = headingValue(sections, 'id', file)
  if (!id || !sessionIdPattern.test(id.value)) throw new FormatError(file, id?.line ?? 1, "the heading '## ID: session-YYYYMMDD-HHMMSS' is missing.")
  const status = headingValue(sections, 'status', file)
  const state = wordOf(status?.value ?? '', sessionStates)
  if (state === undefined) throw noWord(file, status?.line ?? id.line, 'status', status?.value ?? '', sessionStates)
  const [agents, configuration, summary] = [/^agents$/i, /^configuration$/i, /^summary\b/i].map((title) => onlySection(sections, title, file))
  const settings = bulletsOf(configuration?.blocks ?? [], ['max_parallel', 'max_retries', 'poll_interval'])
  const sums = bulletsOf(summary?.blocks ?? [], ['total tasks', 'completed', 'failed', 'files created', 'issues'])
  const setting = (key: string): string => settings.found.get(key)?.value ?? ''
  return {
    id: id.value,
    startedAt: headingValue(sections, 'started', file)?.value ?? '',
    status: state,
    agents: agents?.blocks.flatMap((block) => (block.kind === 'table' ? block.rows.slice(1).map(agentOf) : [])) ?? [],
    configuration: {
      maxParallel: wholeNumberOf(setting('max_parallel')),
      maxRetries: wholeNumberOf(setting('max_retries')),
      pollInterval: oneLine(setting('poll_interval')) || null,
    },
    summary: summaryOf(sums.found),
    other: besides(
      [
        ...sections.filter(isHead).flatMap((section) => section.blocks),
        ...(agents?.blocks.filter((block) => block.kind !== 'table') ?? []),
        ...(configuration?.blocks.filter((block) => block.kind !== 'list') ?? []),
        ...(summary?.blocks.filter((block) => block.kind !== 'list') ?? []),
      ],
      sections.filter((section) => !isHead(section) && ![agents, configuration, summary].includes(section)),
      [...settings.rest, ...sums.rest],
    ),
  }
}

export const renderSession = ({ id, startedAt, status, agents, configuration, summary, other }: SessionFile): string =>
  paragraphs([
    ...layOut(['# Orchestrator Session', `## ID: ${id}`, ...(startedAt === '' ? [] : [`## Started: ${startedAt}`]), `## Status: ${status}`].join('\n'), [], other),
    agents.length === 0 ? '' : `## Agents\n${tableOf(agents)}`,
    [
      '## Configuration',
      ...(configuration.maxParallel === null ? [] : [`- MAX_PARALLEL: ${configuration.maxParallel}`]),
      ...(configuration.maxRetries === null ? [] : [`- MAX_RETRIES: ${configuration.maxRetries}`]),
      ...(configuration.pollInterval === null ? [] : [`- POLL_INTERVAL: ${configuration.pollInterval}`]),
    ].join('\n'),
    summary === null ? '' : ['## Summary', ...renderSummary(summary)].join('\n'),
  ])

const renderSummary = ({ totalTasks, completed, failed, filesCreated, issues }: SessionSummary): readonly string[] => [
  `- Total Tasks: ${totalTasks}`,
  `- Completed: ${completed}`,
  `- Failed: ${failed}`,
  listed('Files Created', filesCreated),
  listed('Issues', issues),
]

/** A bullet below for each, since both may contain commas. */
const listed = (key: string, values: readonly string[]): string =>
  values.length === 0 ? `- ${key}: none` : `- ${key}:\n${values.map((value) => `  - ${indented(escaped(oneLine(value)), 4)}`).join('\n')}`

const summaryOf = (found: ReadonlyMap<string, Item>): SessionSummary | null => {
  const number = (key: string): number | null => wholeNumberOf(found.get(key)?.value ?? '')
  const [totalTasks, completed, failed] = [number('total tasks'), number('completed'), number('failed')]
  if (totalTasks === null || completed === null || failed === null) return null
  return { totalTasks, completed, failed, filesCreated: valuesOf(found.get('files created')), issues: valuesOf(found.get('issues')) }
}

/** Bullets below it, else `[a, b]`; a template's `[list]` is nothing. */
const valuesOf = (item: Item | undefined): readonly string[] => {
  if (!item) return []
  if (item.items.length > 0) return item.items.map(({ text }) => oneLine(text)).filter(Boolean)
  const inline = item.value.replace(/^\[(.*)\]$/s, '$1').trim()
  return inline === 'list' || /^none$/i.test(inline) ? [] : inline.split(',').map(oneLine).filter(Boolean)
}

const agentOf = ([id = '', cli = '', pid = '', status = '', task = '']: readonly string[]): SessionAgent => ({
  id,
  cli,
  pid: wholeNumberOf(pid),
  status,
  task: taskNumberOf(task) ?? null,
})

const tableOf = (agents: readonly SessionAgent[]): string => {
  const row = (cells: readonly string[]): string => `| ${cells.map((cell, at) => cell.padEnd(columns[at]!.length)).join(' | ')} |`
  const rule = `|${columns.map((name) => '-'.repeat(name.length + 2)).join('|')}|`
  const rows = agents.map(({ id, cli, pid, status, task }) => row([id, cli, pid === null ? '-' : String(pid), status, task === null ? '-' : `task-${task}`].map(cellOf)))
  return [row(columns), rule, ...rows].join('\n')
}

const cellOf = (text: string): string => oneLine(text).replaceAll('|', '\\|')
