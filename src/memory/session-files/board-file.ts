import { besides, bullet, bulletsOf, headingOf, headingValue, layOut, leftOver, noWord, paragraphs, taskNumberOf, wholeNumberOf, wordOf } from './fields.ts'
import { agentIdPattern, sessionIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, escaped, indented, type Item, oneLine, type Section, sectionsOf } from './markdown.ts'

export const boardStatuses = ['pending', 'in_progress', 'completed', 'failed', 'blocked'] as const
export type BoardStatus = (typeof boardStatuses)[number]

/** `task-board.md`: the tasks of a session, as the orchestrator tells them. */
export interface BoardFile {
  readonly session: string
  readonly tasks: readonly BoardTask[]
  /** What is none of this, as it stands. */
  readonly other: readonly string[]
}

export interface BoardTask {
  /** N of `task-N`. */
  readonly id: number
  readonly agent: string
  readonly cli: string | null
  readonly title: string
  readonly status: BoardStatus
  /** The file's Priority: 1 begins first. */
  readonly tier: number
  readonly dependencies: readonly number[]
  readonly description: string
  readonly criteria: readonly string[]
  /** Why a task failed. */
  readonly reason?: string
  readonly other: readonly string[]
}

const keys = ['agent', 'cli', 'title', 'status', 'reason', 'priority', 'dependencies', 'description', 'acceptance criteria']

export const parseBoard = (text: string, file: string): BoardFile => {
  const sections = sectionsOf(text)
  const session = headingValue(sections, 'session', file)
  if (!session) throw new FormatError(file, 1, "the heading '## Session: session-YYYYMMDD-HHMMSS' is missing.")
  if (!sessionIdPattern.test(session.value)) throw new FormatError(file, session.line, `'${session.value.slice(0, 60)}' is no session id; write session-YYYYMMDD-HHMMSS.`)
  const { groups, other } = taskGroups(sections)
  const tasks = groups.map(({ head, below }) => taskOf(head, below, file))
  refuseWrong(tasks, groups, file)
  return { session: session.value, tasks, other }
}

export const renderBoard = ({ session, tasks, other }: BoardFile): string =>
  paragraphs([...layOut(`# Task Board\n## Session: ${session}`, [], other), ...tasks.flatMap(renderTask)])

const renderTask = (task: BoardTask): readonly string[] =>
  layOut(
    `### task-${task.id}`,
    [
      bullet('Agent', task.agent),
      ...(task.cli === null ? [] : [bullet('CLI', oneLine(task.cli))]),
      bullet('Title', oneLine(task.title)),
      bullet('Status', task.status),
      ...(task.reason === undefined ? [] : [bullet('Reason', oneLine(task.reason))]),
      bullet('Priority', String(task.tier)),
      bullet('Dependencies', task.dependencies.length === 0 ? 'none' : task.dependencies.map((id) => `task-${id}`).join(', ')),
      ...(task.description.trim() === '' ? [] : [bullet('Description', task.description.trim())]),
      ...(task.criteria.length === 0 ? [] : [`- **Acceptance Criteria**:\n${task.criteria.map((text) => `  - ${indented(escaped(text.trim()), 4)}`).join('\n')}`]),
    ],
    task.other,
  )

interface TaskGroup {
  readonly head: Section
  readonly below: Section[]
}

/** `### task-N` with the deeper headings below it; what is neither that nor the file's head is left over. */
const taskGroups = (sections: readonly Section[]): { readonly groups: readonly TaskGroup[]; readonly other: readonly string[] } => {
  const groups: TaskGroup[] = []
  const loose: Block[] = []
  const unknown: Section[] = []
  let within: TaskGroup | undefined
  for (const section of sections) {
    if (/^task-\d{1,9}$/i.test(section.title)) groups.push((within = { head: section, below: [] }))
    else if (within && section.depth > within.head.depth) within.below.push(section)
    else {
      within = undefined
      if (section.depth === 0 || ['task board', 'session'].includes(headingOf(section).key)) loose.push(...section.blocks)
      else unknown.push(section)
    }
  }
  return { groups, other: besides(loose, unknown) }
}

const taskOf = (head: Section, below: readonly Section[], file: string): BoardTask => {
  const { found, rest } = bulletsOf(head.blocks, keys)
  const value = (key: string): string => found.get(key)?.value ?? ''
  const needed = (key: string, name: string): string => {
    if (value(key) === '') throw new FormatError(file, found.get(key)?.line ?? head.line, `${head.title} has no ${name}.`)
    return oneLine(value(key))
  }
  const agent = needed('agent', 'agent')
  if (!agentIdPattern.test(agent)) throw new FormatError(file, found.get('agent')!.line, `'${agent.slice(0, 60)}' is no agent id; use letters, digits, - or _.`)
  const status = wordOf(value('status'), boardStatuses)
  if (status === undefined) throw noWord(file, found.get('status')?.line ?? head.line, 'status', value('status'), boardStatuses)
  return {
    id: taskNumberOf(head.title)!,
    agent,
    cli: oneLine(value('cli')) || null,
    title: needed('title', 'title'),
    status,
    tier: tierOf(found.get('priority'), file),
    dependencies: dependenciesOf(found.get('dependencies'), file),
    description: value('description'),
    criteria:
      found
        .get('acceptance criteria')
        ?.items.map(({ text }) => text)
        .filter(Boolean) ?? [],
    ...(value('reason') === '' ? {} : { reason: oneLine(value('reason')) }),
    other: leftOver(head.blocks, rest, below),
  }
}

const tierOf = (item: Item | undefined, file: string): number => {
  if (!item) return 1
  const tier = wholeNumberOf(item.value)
  if (tier === null) throw new FormatError(file, item.line, `'${item.value.slice(0, 60)}' is no priority; write a whole number, 1 for what begins first.`)
  return tier
}

const dependenciesOf = (item: Item | undefined, file: string): readonly number[] => {
  if (!item || /^(?:none|-)?$/i.test(item.value)) return []
  return item.value.split(',').map((part) => {
    const number = taskNumberOf(part)
    if (number === undefined) throw new FormatError(file, item.line, `'${part.trim().slice(0, 60)}' is no dependency; write none, or task-1, task-2.`)
    return number
  })
}

const refuseWrong = (tasks: readonly BoardTask[], groups: readonly TaskGroup[], file: string): void => {
  const known = new Set<number>()
  for (const [at, { id }] of tasks.entries()) {
    if (known.has(id)) throw new FormatError(file, groups[at]!.head.line, `task-${id} is there twice.`)
    known.add(id)
  }
  for (const [at, { id, dependencies }] of tasks.entries()) {
    const { line } = groups[at]!.head
    if (dependencies.includes(id)) throw new FormatError(file, line, `task-${id} depends on itself.`)
    const unknown = dependencies.find((one) => !known.has(one))
    if (unknown !== undefined) throw new FormatError(file, line, `task-${id} depends on task-${unknown}, which is not on the board.`)
  }
}
