import { agentIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, itemText, listBelow } from './markdown.ts'
import { bullet, keyOf, LeftOver, type Other, type Section } from './sections.ts'
import {
  isNone,
  manyLines,
  oneLine,
  plainCriterion,
  plainWord,
  shown,
  taskOf,
  wholeNumberOf,
  wordOf,
} from './values.ts'

export const boardStatuses = ['pending', 'in_progress', 'completed', 'failed', 'blocked'] as const
export type BoardStatus = (typeof boardStatuses)[number]

export interface BoardTask {
  /** N of `task-N`. */
  readonly id: number
  readonly agent: string
  readonly cli: string | null
  /** One line. */
  readonly title: string
  /** Pending if the file names none. */
  readonly status: BoardStatus
  /** The file's Priority: 1 begins first, and is the default. */
  readonly tier: number
  readonly dependencies: readonly number[]
  /** Lines separated by LF; empty if there is none. */
  readonly description: string
  /** One line each. */
  readonly criteria: readonly string[]
  /** The reason of a task's failure, one line. */
  readonly reason?: string
  readonly other: Other<'end'>
}

const keys = [
  'agent',
  'cli',
  'title',
  'status',
  'reason',
  'priority',
  'dependencies',
  'description',
  'acceptance criteria',
] as const

export const readTask = (
  { heading, text, body }: Section,
  file: string,
): { readonly task: BoardTask; readonly dependenciesLine: number } => {
  const named = taskOf(text)
  if (!named) throw new FormatError(file, heading.line, `${shown(text)} is not a task; write task-1.`)
  const other = new LeftOver<'end'>()
  const found = bulletsOf(body, other, file)
  const value = (key: (typeof keys)[number]): string => found.get(key)?.value ?? ''
  const line = (key: (typeof keys)[number]): number => found.get(key)?.item.line ?? heading.line
  const agent = plainWord(value('agent'))
  if (agent === '') throw new FormatError(file, line('agent'), `task-${named.id} has no Agent.`)
  if (!agentIdPattern.test(agent))
    throw new FormatError(
      file,
      line('agent'),
      `${shown(agent)} is not a valid agent id; use 1 to 50 letters, digits, '-' or '_', beginning with a letter or digit.`,
    )
  const title = oneLine(value('title')) || oneLine(named.more)
  if (title === '') throw new FormatError(file, line('title'), `task-${named.id} has no Title.`)
  const reason = oneLine(value('reason'))
  const criteria = found.get('acceptance criteria')?.item
  const task: BoardTask = {
    id: named.id,
    agent,
    cli: oneLine(value('cli')) || null,
    title,
    status: found.has('status')
      ? wordOf(oneLine(value('status')), boardStatuses, { file, line: line('status'), what: 'status' })
      : 'pending',
    tier: found.has('priority') ? tierOf(value('priority'), line('priority'), file) : 1,
    dependencies: dependenciesOf(oneLine(value('dependencies')), line('dependencies'), file),
    description: manyLines(value('description')),
    criteria: criteria ? criteriaOf(criteria) : [],
    ...(reason === '' ? {} : { reason }),
    other: withHeading(other.all(), oneLine(named.more), title),
  }
  return { task, dependenciesLine: line('dependencies') }
}

/** Bullets of a task by their keys, up to a deeper heading; all other blocks go to `other`. */
const bulletsOf = (
  body: readonly Block[],
  other: LeftOver<'end'>,
  file: string,
): ReadonlyMap<(typeof keys)[number], { readonly item: Block; readonly value: string }> => {
  const found = new Map<(typeof keys)[number], { readonly item: Block; readonly value: string }>()
  const below = body.findIndex(({ kind }) => kind === 'heading')
  const own = below === -1 ? body : body.slice(0, below)
  for (const item of own) {
    const keyed = item.kind === 'item' ? keyOf(item, keys) : undefined
    if (keyed && found.has(keyed.key))
      throw new FormatError(
        file,
        item.line,
        `there is a second ${shown(itemText(item).split('\n')[0]!)} in this task; keep one.`,
      )
    if (keyed) found.set(keyed.key, { item, value: keyed.value })
    else other.keep('end', item)
  }
  if (below !== -1) other.keep('end', ...body.slice(below))
  return found
}

/** The text after `task-N` in a heading is kept if the task has another title. */
const withHeading = (other: Other<'end'>, said: string, title: string): Other<'end'> =>
  said === '' || said === title
    ? other
    : { end: [bullet('Heading', said), other.end].filter((part) => part !== undefined).join('\n\n') }

const tierOf = (value: string, line: number, file: string): number => {
  const tier = wholeNumberOf(value)
  if (tier === undefined)
    throw new FormatError(
      file,
      line,
      `${shown(value)} is not a priority; write a whole number, 1 for what starts first.`,
    )
  return tier
}

const dependenciesOf = (value: string, line: number, file: string): readonly number[] => {
  const list = value.replace(/^\[(.*)\]$/s, '$1')
  if (isNone(list)) return []
  const ids = list.split(',').map((part) => {
    const task = taskOf(part)
    if (!task || task.more !== '')
      throw new FormatError(file, line, `${shown(part.trim())} is not a dependency; write none, or task-1, task-2.`)
    return task.id
  })
  return [...new Set(ids)]
}

const criteriaOf = (item: Block): readonly string[] => {
  const { head, texts } = listBelow(item)
  const inline = oneLine(head.slice(head.indexOf(':') + 1).replace(/^\*\*/, ''))
  return [inline, ...texts.map((text) => plainCriterion(oneLine(text)))].filter((text) => text !== '')
}
