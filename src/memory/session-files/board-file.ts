import { refuseDependencies } from './board-dependencies.ts'
import { sessionIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, readDocument } from './markdown.ts'
import { bullet, documentOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import { escapedCriterion, manyLines, oneLine, plainWord, shown } from './values.ts'
import { type BoardTask, readTask } from './board-task.ts'

/** `task-board.md`: the tasks of a session, as the orchestrator writes them. */
export interface BoardFile {
  readonly session: string
  readonly tasks: readonly BoardTask[]
  /** `head` is above the tasks, `end` (unknown headings) below them. */
  readonly other: Other<'head' | 'end'>
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
