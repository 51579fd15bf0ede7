import { FormatError } from '../format-error.ts'
import { agentIdPattern, sessionIdPattern } from './file-names.ts'
import { type Block, itemText, listBelow, readDocument } from './markdown.ts'
import { bullet, documentOf, keyOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import {
  escapedCriterion,
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

/** `task-board.md`: the tasks of a session, as the orchestrator writes them. */
export interface BoardFile {
  readonly session: string
  readonly tasks: readonly BoardTask[]
  /** `head` is above the tasks, `end` (unknown headings) below them. */
  readonly other: Other<'head' | 'end'>
}

export const boardStatuses = ['pending', 'in_progress', 'completed', 'failed', 'blocked'] as const
type BoardStatus = (typeof boardStatuses)[number]

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

/**
 * Refuses an invalid board: without session, agents or titles, with unknown words, ids or dependencies, or with one of
 * either twice.
 */
export const parseBoard = (text: string, file: string): BoardFile => {
  const document = readDocument(text)
  if (document.open !== undefined)
    throw new FormatError(file, document.open, 'a code fence or comment begins here and is never closed; close it.')
  const { above, sections } = sectionsOf(document.blocks, 3)
  const other = new LeftOver<'head' | 'end'>()
  other.keep('head', ...above)
  let session: string | undefined
  const tasks: { readonly heading: Block; readonly task: BoardTask; readonly dependenciesLine: number }[] = []
  for (const section of sections) {
    if (section.depth > 1 && /^task[- ]?#?\d|^task-/i.test(section.text))
      tasks.push({ heading: section.heading, ...readTask(section, file) })
    else if (section.depth === 2 && section.name === 'session') {
      if (session !== undefined)
        throw new FormatError(file, section.heading.line, 'there is a second heading ## Session; keep one.')
      session = sessionOf(section, file)
      other.keep('head', ...section.body)
    } else if (section.name === 'task board') other.keep('head', ...section.body)
    else other.keep('end', section.heading, ...section.body)
  }
  if (session === undefined)
    throw new FormatError(file, 1, 'the heading ## Session: session-YYYYMMDD-HHMMSS is missing.')
  refuseDependencies(tasks, file)
  return { session, tasks: tasks.map(({ task }) => task), other: other.all() }
}

export const renderBoard = ({ session, tasks, other }: BoardFile): string =>
  documentOf(boardHead(session), other.head, renderTasks(tasks), other.end)

/** The text above all tasks. */
export const boardHead = (session: string): string => `# Task Board\n## Session: ${session}`

/** The text of tasks; several such texts can be joined to a board. */
export const renderTasks = (tasks: readonly BoardTask[]): string =>
  tasks
    .flatMap((task) => [renderTask(task), task.other.end])
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')

const renderTask = (task: BoardTask): string =>
  [
    `### task-${task.id}`,
    bullet('Agent', task.agent),
    ...(task.cli === null ? [] : [bullet('CLI', oneLine(task.cli))]),
    bullet('Title', oneLine(task.title)),
    bullet('Status', task.status),
    ...(task.reason === undefined ? [] : [bullet('Reason', oneLine(task.reason))]),
    bullet('Priority', String(task.tier)),
    bullet(
      'Dependencies',
      task.dependencies.length === 0 ? 'none' : task.dependencies.map((id) => `task-${id}`).join(', '),
    ),
    ...(manyLines(task.description) === '' ? [] : [bullet('Description', manyLines(task.description))]),
    ...renderCriteria(task.criteria.map(oneLine).filter((text) => text !== '')),
  ].join('\n')

const renderCriteria = (criteria: readonly string[]): readonly string[] =>
  criteria.length === 0
    ? []
    : [bullet('Acceptance Criteria', ''), ...criteria.map((text) => `  - ${escapedCriterion(text)}`)]

const sessionOf = ({ heading, value }: Section, file: string): string => {
  const id = plainWord(value)
  if (sessionIdPattern.test(id)) return id
  const problem = value.includes('{')
    ? 'the session id is still that of the template'
    : `${shown(value)} is not a session id`
  throw new FormatError(file, heading.line, `${problem}; write session-YYYYMMDD-HHMMSS.`)
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

const readTask = (
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

interface DependentTask {
  readonly id: number
  readonly dependencies: readonly number[]
}

/** Refuses a task that occurs twice, and one that depends on itself or on a task that is not on the board. */
const refuseDependencies = (
  tasks: readonly { readonly heading: Block; readonly task: DependentTask; readonly dependenciesLine: number }[],
  file: string,
): void => {
  const known = new Set<number>()
  for (const { heading, task } of tasks) {
    if (known.has(task.id)) throw new FormatError(file, heading.line, `task-${task.id} is listed twice.`)
    known.add(task.id)
  }
  for (const { task, dependenciesLine: line } of tasks) {
    if (task.dependencies.includes(task.id)) throw new FormatError(file, line, `task-${task.id} depends on itself.`)
    const unknown = task.dependencies.find((id) => !known.has(id))
    if (unknown !== undefined)
      throw new FormatError(file, line, `task-${task.id} depends on task-${unknown}, which does not exist.`)
  }
}
