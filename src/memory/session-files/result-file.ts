import { agentIdPattern, describeFile } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, itemText, readDocument } from './markdown.ts'
import { proseOf, proseText } from './prose.ts'
import { readCriterion, readPath, renderCriterion, renderPath, type ResultCriterion, type ResultPath } from './result-items.ts'
import { agreed, documentOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import { escapedDashes, indented, isNone, manyLines, plainDashes, plainWord, shown, taskOf, wholeNumberOf, wordOf } from './values.ts'

export const resultStatuses = ['completed', 'failed'] as const

type Place = 'head' | 'files' | 'criteria' | 'issues' | 'notes' | 'end'

/** `result-{agent}.md`: how an agent's task ended. */
export interface ResultFile {
  readonly agent: string
  /** N of `task-N`. */
  readonly task: number | null
  readonly status: (typeof resultStatuses)[number]
  readonly turnsUsed: number | null
  /** Lines with LF between them, as `proseOf` leaves them; empty where there is none. */
  readonly summary: string
  readonly files: readonly ResultPath[]
  readonly criteria: readonly ResultCriterion[]
  /** Lines with LF between them, each. */
  readonly issues: readonly string[]
  readonly notes: readonly string[]
  /** `head` stands above the summary, `end` (headings of its own) below all, the others below the list of their section. */
  readonly other: Other<Place>
}

/** Refuses a file that does not say how the task ended: a heading `## Status: ` with one of two words, and nothing else. */
export const parseResult = (text: string, file: string): ResultFile => {
  const { above, sections } = sectionsOf(readDocument(text).blocks, 2)
  const other = new LeftOver<Place>()
  other.keep('head', ...above)
  let [agent, task, status, turnsUsed]: [string?, number?, ResultFile['status']?, number?] = []
  const summary: string[] = []
  const lists = { files: [] as ResultPath[], criteria: [] as ResultCriterion[], issues: [] as string[], notes: [] as string[] }
  for (const section of sections) {
    const { depth, name, value, body } = section
    const title = depth === 1 && (name === 'result' || name === 'result report') ? plainWord(value) : undefined
    const named = depth === 2 && name === 'task' ? taskOf(value) : undefined
    const turns = depth === 2 && name === 'turns used' ? wholeNumberOf(value) : undefined
    const list = depth === 2 ? listOf(section) : undefined
    if (title !== undefined) {
      if (title !== '') agent = agreed(agent, agentOf(title, section, file), section, file)
      other.keep('head', ...body)
    } else if (depth === 2 && name === 'status') {
      status = agreed(status, wordOf(value, resultStatuses, { file, line: section.heading.line, what: 'status' }), section, file)
      other.keep('head', ...body)
    } else if (named && named.more === '') {
      task = agreed(task, named.id, section, file)
      other.keep('head', ...body)
    } else if (turns !== undefined && (turnsUsed ?? turns) === turns) {
      turnsUsed = turns
      other.keep('head', ...body)
    } else if (depth === 2 && name === 'summary') summary.push(value, linesOf(body))
    else if (list === 'files') readList(list, body, other, (item) => pushed(lists.files, readPath(itemText(item))))
    else if (list === 'criteria') readList(list, body, other, (item) => pushed(lists.criteria, readCriterion(itemText(item))))
    else if (list) readList(list, body, other, (item) => pushed(lists[list], manyLines(plainDashes(itemText(item)))))
    else {
      if (named) task = agreed(task, named.id, section, file)
      other.keep('end', section.heading, ...body)
    }
  }
  if (status === undefined) throw new FormatError(file, 1, 'the heading ## Status: is missing; write it with completed or failed.')
  return {
    agent: agent ?? agentOfName(file),
    task: task ?? null,
    status,
    turnsUsed: turnsUsed ?? null,
    summary: proseOf(summary.filter((part) => part !== '').join('\n\n')),
    ...lists,
    other: other.all(),
  }
}

export const renderResult = ({ agent, task, status, turnsUsed, summary, files, criteria, issues, notes, other }: ResultFile): string =>
  documentOf(
    [`# Result: ${agent}`, ...(task === null ? [] : [`## Task: task-${task}`]), `## Status: ${status}`, ...(turnsUsed === null ? [] : [`## Turns Used: ${turnsUsed}`])].join('\n'),
    other.head,
    `## Summary\n${proseText(summary)}`.trimEnd(),
    renderList('Files Created/Modified', files.map(renderPath)),
    other.files,
    renderList('Acceptance Criteria', criteria.map(renderCriterion)),
    other.criteria,
    renderList('Issues Encountered', issues.map(renderText)),
    other.issues,
    renderList('Notes', notes.map(renderText)),
    other.notes,
    other.end,
  )

const renderList = (title: string, bullets: readonly string[]): string => `## ${title}\n${bullets.length === 0 ? '- None' : bullets.join('\n')}`

const renderText = (text: string): string => `- ${indented(escapedDashes(manyLines(text)))}`

const agentOf = (id: string, { heading }: Section, file: string): string => {
  if (agentIdPattern.test(id)) return id
  throw new FormatError(file, heading.line, `${shown(id)} is no agent id; write # Result: with the agent's id.`)
}

/** A file that names no agent is that of its own name. */
const agentOfName = (file: string): string => {
  const named = describeFile(file.slice(file.lastIndexOf('/') + 1))
  if (named && 'agent' in named) return named.agent
  throw new FormatError(file, 1, "the heading # Result: with the agent's id is missing.")
}

/** Which list a section is, in the words that agents use; a heading that says more than its name is none. */
const listOf = ({ name, value }: Section): 'files' | 'criteria' | 'issues' | 'notes' | undefined => {
  if (!isNone(value)) return undefined
  if (/^files(?: (?:created|modified|changed)(?:(?:\/| and )(?:created|modified|changed))?)?$/.test(name)) return 'files'
  if (/^acceptance criteria(?: status| checklist)?$/.test(name)) return 'criteria'
  if (/^issues(?: encountered)?$/.test(name)) return 'issues'
  return name === 'notes' ? 'notes' : undefined
}

/** Bullets that `read` does not know, and what is no bullet, are kept; one that says none is not. */
const readList = (place: Place, body: readonly Block[], other: LeftOver<Place>, read: (item: Block) => boolean): void => {
  for (const block of body) {
    const none = isNone(block.kind === 'item' ? itemText(block) : block.lines.join('\n'))
    if (!none && !(block.kind === 'item' && read(block))) other.keep(place, block)
  }
}

const pushed = <T>(list: T[], value: T | undefined): boolean => value !== undefined && value !== '' && list.push(value) > 0

const linesOf = (body: readonly Block[]): string =>
  body.map(({ lines, line }, at) => '\n'.repeat(at === 0 ? 0 : line - body[at - 1]!.line - body[at - 1]!.lines.length + 1) + lines.join('\n')).join('')
