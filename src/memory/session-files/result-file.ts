import { FormatError } from '../format-error.ts'
import { agentIdPattern, describeFile } from './file-names.ts'
import { type Block, closedText, itemText, readDocument, treeOf } from './markdown.ts'
import { agreed, documentOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import {
  codeSpan,
  escapedDashes,
  indented,
  isNone,
  leadingCode,
  manyLines,
  oneLine,
  plainDashes,
  plainWord,
  shown,
  taskOf,
  wholeNumberOf,
  wordOf,
} from './values.ts'

const resultStatuses = ['completed', 'failed'] as const

type Place = 'head' | 'files' | 'criteria' | 'issues' | 'notes' | 'end'

/** `result-{agent}.md`: the result of an agent's task. */
export interface ResultFile {
  readonly agent: string
  /** N of `task-N`. */
  readonly task: number | null
  readonly status: (typeof resultStatuses)[number]
  readonly turnsUsed: number | null
  /** Lines separated by LF, normalised by `proseOf`; empty if there is none. */
  readonly summary: string
  readonly files: readonly ResultPath[]
  readonly criteria: readonly ResultCriterion[]
  /** The issues; lines within one are separated by LF. */
  readonly issues: readonly string[]
  readonly notes: readonly string[]
  /** `head` is above the summary, `end` (unknown headings) at the end, the others below the list of their section. */
  readonly other: Other<Place>
}

interface ResultPath {
  readonly path: string
  /** NEW, MODIFIED, …: one line without brackets. */
  readonly change: string | null
  readonly note: string | null
}

interface ResultCriterion {
  /** One line, without a final `(NOT DONE)`. */
  readonly text: string
  /** Always false if there is a note. */
  readonly met: boolean
  /** The text in the brackets after it: `NOT DONE`, or a longer text that begins so. */
  readonly note: string | null
}

/** Refuses a file without a result: a heading `## Status: ` with exactly one of two words. */
export const parseResult = (text: string, file: string): ResultFile => {
  const { above, sections } = sectionsOf(readDocument(text).blocks, 2)
  const other = new LeftOver<Place>()
  other.keep('head', ...above)
  let [agent, task, status, turnsUsed]: [string?, number?, ResultFile['status']?, number?] = []
  const summary: string[] = []
  const lists = {
    files: [] as ResultPath[],
    criteria: [] as ResultCriterion[],
    issues: [] as string[],
    notes: [] as string[],
  }
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
      status = agreed(
        status,
        wordOf(value, resultStatuses, { file, line: section.heading.line, what: 'status' }),
        section,
        file,
      )
      other.keep('head', ...body)
    } else if (named && named.more === '') {
      task = agreed(task, named.id, section, file)
      other.keep('head', ...body)
    } else if (turns !== undefined && (turnsUsed ?? turns) === turns) {
      turnsUsed = turns
      other.keep('head', ...body)
    } else if (depth === 2 && name === 'summary') summary.push(value, linesOf(body))
    else if (list === 'files') readList(list, body, other, (item) => pushed(lists.files, readPath(itemText(item))))
    else if (list === 'criteria')
      readList(list, body, other, (item) => pushed(lists.criteria, readCriterion(itemText(item))))
    else if (list) readList(list, body, other, (item) => pushed(lists[list], manyLines(plainDashes(itemText(item)))))
    else {
      if (named) task = agreed(task, named.id, section, file)
      other.keep('end', section.heading, ...body)
    }
  }
  if (status === undefined)
    throw new FormatError(file, 1, 'the heading ## Status: is missing; write it with completed or failed.')
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

export const renderResult = ({
  agent,
  task,
  status,
  turnsUsed,
  summary,
  files,
  criteria,
  issues,
  notes,
  other,
}: ResultFile): string =>
  documentOf(
    [
      `# Result: ${agent}`,
      ...(task === null ? [] : [`## Task: task-${task}`]),
      `## Status: ${status}`,
      ...(turnsUsed === null ? [] : [`## Turns Used: ${turnsUsed}`]),
    ].join('\n'),
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

const renderList = (title: string, bullets: readonly string[]): string =>
  `## ${title}\n${bullets.length === 0 ? '- None' : bullets.join('\n')}`

const renderText = (text: string): string => `- ${indented(escapedDashes(manyLines(text)))}`

const agentOf = (id: string, { heading }: Section, file: string): string => {
  if (agentIdPattern.test(id)) return id
  throw new FormatError(
    file,
    heading.line,
    `${shown(id)} is not a valid agent id; write # Result: with the agent's id.`,
  )
}

/** A file without an agent's name belongs to the agent in its file name. */
const agentOfName = (file: string): string => {
  const named = describeFile(file.slice(file.lastIndexOf('/') + 1))
  if (named && 'agent' in named) return named.agent
  throw new FormatError(file, 1, "the heading # Result: with the agent's id is missing.")
}

/** The list of a section, by the words that agents use; undefined for a heading with more than the name. */
const listOf = ({ name, value }: Section): 'files' | 'criteria' | 'issues' | 'notes' | undefined => {
  if (!isNone(value)) return undefined
  if (/^files(?: (?:created|modified|changed)(?:(?:\/| and )(?:created|modified|changed))?)?$/.test(name))
    return 'files'
  if (/^acceptance criteria(?: status| checklist)?$/.test(name)) return 'criteria'
  if (/^issues(?: encountered)?$/.test(name)) return 'issues'
  return name === 'notes' ? 'notes' : undefined
}

/** Keeps bullets that `read` does not know and other blocks, except a bullet that means "none". */
const readList = (
  place: Place,
  body: readonly Block[],
  other: LeftOver<Place>,
  read: (item: Block) => boolean,
): void => {
  for (const block of body) {
    const none = isNone(block.kind === 'item' ? itemText(block) : block.lines.join('\n'))
    if (!none && !(block.kind === 'item' && read(block))) other.keep(place, block)
  }
}

const pushed = <T>(list: T[], value: T | undefined): boolean =>
  value !== undefined && value !== '' && list.push(value) > 0

const linesOf = (body: readonly Block[]): string =>
  body
    .map(
      ({ lines, line }, at) =>
        '\n'.repeat(at === 0 ? 0 : line - body[at - 1]!.line - body[at - 1]!.lines.length + 1) + lines.join('\n'),
    )
    .join('')

/** `` `path` (NEW) - note ``; a path without blanks needs no backticks. Undefined for anything else. */
const readPath = (text: string): ResultPath | undefined => {
  const bold = text.replace(/^\*\*(?=`)/, '')
  const code = leadingCode(bold) ?? bareWord(bold)
  if (!code || code.code === '') return undefined
  const match = /^(?:\*\*)?\s*(?:\(([^()\n]*)\))?\s*(?:[-–—:](?:\s+(.*))?)?$/s.exec(code.rest.trimEnd())
  return match
    ? { path: code.code, change: oneLine(match[1] ?? '') || null, note: manyLines(match[2] ?? '') || null }
    : undefined
}

/** A text without blanks but with a dot or a slash counts as a path; so does a single word. */
const bareWord = (text: string): { readonly code: string; readonly rest: string } | undefined => {
  const word = /^[^\s`()*]+/.exec(text)?.[0].replace(/:$/, '')
  if (word === undefined || isNone(word) || (!/[./\\]/.test(word) && word !== text)) return undefined
  return { code: word, rest: text.slice(word.length) }
}

const renderPath = ({ path, change, note }: ResultPath): string => {
  const brackets = change === null ? '' : oneLine(change.replace(/[()]/g, ' '))
  const said = note === null ? '' : manyLines(note)
  return `- ${codeSpan(oneLine(path))}${brackets === '' ? '' : ` (${brackets})`}${said === '' ? '' : ` - ${indented(said)}`}`
}

/** `[x] text` or `[ ] text (NOT DONE)`; undefined for a bullet without a box. */
const readCriterion = (item: string): ResultCriterion | undefined => {
  const match = /^\[([ xX])\]\s+(.*)$/s.exec(item)
  if (!match) return undefined
  const text = oneLine(match[2]!)
  const note = /\((NOT DONE[^()]*)\)$/i.exec(text)
  const before = note ? text.slice(0, note.index).trimEnd() : ''
  return note && before !== ''
    ? { text: before, met: false, note: oneLine(note[1]!) }
    : { text, met: match[1] !== ' ', note: null }
}

const renderCriterion = ({ text, met, note }: ResultCriterion): string =>
  `- [${met ? 'x' : ' '}] ${oneLine(text)}${note === null ? '' : ` (${oneLine(note)})`}`

// Text directly below a heading, not in a bullet. A line that looks like one of the file's headings is written with a
// backslash, and an open code fence is closed.

/** The text as it is written. */
const proseText = (text: string): string => {
  const plain = manyLines(text).replace(/^( {0,3})(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1\\')
  return plain === '' ? '' : closedText(plain, treeOf(plain, { tables: false }))
}

/** The text as it is read; also the normal form of any text. */
export const proseOf = (source: string): string => plainProse(proseText(plainProse(source)))

const plainProse = (source: string): string => manyLines(source.replace(/^( {0,3})\\(?=\\*#{1,2}(?:[ \t]|$))/gm, '$1'))
