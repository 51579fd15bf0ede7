import { besides, headingOf, headingValue, layOut, noWord, onlySection, paragraphs, taskNumberOf, wholeNumberOf, wordOf } from './fields.ts'
import { agentIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, escaped, indented, type Item, oneLine, type Section, sectionsOf } from './markdown.ts'

export const resultStatuses = ['completed', 'failed'] as const

/** `result-{agent}.md`: how an agent's task ended. */
export interface ResultFile {
  readonly agent: string
  /** N of `task-N`. */
  readonly task: number | null
  readonly status: (typeof resultStatuses)[number]
  readonly turnsUsed: number | null
  readonly summary: string
  readonly files: readonly ResultPath[]
  readonly criteria: readonly ResultCriterion[]
  readonly issues: readonly string[]
  readonly notes: readonly string[]
  /** What is none of this, as it stands. */
  readonly other: readonly string[]
}

export interface ResultPath {
  readonly path: string
  /** NEW, MODIFIED, … */
  readonly change: string | null
  readonly note: string | null
}

export interface ResultCriterion {
  readonly text: string
  readonly met: boolean
  /** What stands behind one that is not met: NOT DONE. */
  readonly note: string | null
}

/** Refuses a file that does not say whose it is, or how the task ended: the status is a heading and one word, nothing else. */
export const parseResult = (text: string, file: string): ResultFile => {
  const sections = joined(sectionsOf(text))
  const title = headingValue(sections, 'result', file)
  if (!title || !agentIdPattern.test(title.value)) throw new FormatError(file, title?.line ?? 1, "the heading '# Result: {agent}' with the agent's id is missing.")
  const task = headingValue(sections, 'task', file)
  const number = task && taskNumberOf(task.value)
  if (task && task.value !== '' && number === undefined) throw new FormatError(file, task.line, `'${task.value.slice(0, 60)}' is no task; write task-N.`)
  const status = headingValue(sections, 'status', file)
  const state = wordOf(status?.value ?? '', resultStatuses)
  if (state === undefined) throw noWord(file, status?.line ?? 1, "status in a heading '## Status: '", status?.value ?? '', resultStatuses)
  const [summary, files, criteria, issues, notes] = [isSummary, /^files\b/i, /^acceptance criteria$/i, /^issues\b/i, /^notes$/i].map((name) => onlySection(sections, name, file))
  const lists = [files, criteria, issues, notes].filter((section) => section !== undefined)
  return {
    agent: title.value,
    task: number ?? null,
    status: state,
    turnsUsed: wholeNumberOf(headingValue(sections, 'turns used', file)?.value ?? ''),
    summary: summary ? bodyOf(summary) : '',
    files: itemsOf(files).flatMap(pathOf),
    criteria: itemsOf(criteria).flatMap(criterionOf),
    issues: textsOf(issues),
    notes: textsOf(notes),
    other: besides(
      [...sections.filter(isHead).flatMap((section) => section.blocks), ...lists.flatMap((section) => section.blocks.filter((block) => block.kind !== 'list'))],
      sections.filter((section) => section !== summary && !lists.includes(section) && !isHead(section)),
      unread(criteria, (item) => criterionOf(item).length > 0),
    ),
  }
}

export const renderResult = ({ agent, task, status, turnsUsed, summary, files, criteria, issues, notes, other }: ResultFile): string =>
  paragraphs([
    ...layOut(
      [`# Result: ${agent}`, ...(task === null ? [] : [`## Task: task-${task}`]), `## Status: ${status}`, ...(turnsUsed === null ? [] : [`## Turns Used: ${turnsUsed}`])].join(
        '\n',
      ),
      [],
      other,
    ),
    summary === '' ? '' : `## Summary\n${proseOf(summary)}`,
    files.length === 0 ? '' : `## Files Created/Modified\n${files.map(renderPath).join('\n')}`,
    criteria.length === 0 ? '' : `## Acceptance Criteria\n${criteria.map(renderCriterion).join('\n')}`,
    `## Issues Encountered\n${issues.length === 0 ? '- None' : issues.map(renderText).join('\n')}`,
    notes.length === 0 ? '' : `## Notes\n${notes.map(renderText).join('\n')}`,
  ])

const isSummary = /^summary$/i

const isHead = (section: Section): boolean => section.depth === 0 || ['result', 'task', 'status', 'turns used'].includes(headingOf(section).key)

/** Bullets of a section that say nothing of its kind. */
const unread = (section: Section | undefined, says: (item: Item) => boolean): readonly string[] =>
  itemsOf(section)
    .filter((item) => !says(item))
    .map((item) => item.source)

/** Deeper headings in a summary belong to it. */
const joined = (sections: readonly Section[]): readonly Section[] =>
  sections.reduce<Section[]>((all, section) => {
    const above = all.at(-1)
    if (!above || section.depth <= above.depth || !isSummary.test(above.title)) return [...all, section]
    const below: Block = { kind: 'text', line: section.line, source: section.source }
    return [...all.slice(0, -1), { ...above, blocks: [...above.blocks, below], source: `${above.source}\n\n${section.source}` }]
  }, [])

/** What stands below the heading; of a single block of code its content. */
const bodyOf = ({ blocks, source }: Section): string => {
  const [only] = blocks
  if (blocks.length === 1 && only!.kind === 'code' && /^[`~]{3,}text$/m.test(only!.source.split('\n')[0]!)) return only!.value
  return source.slice(source.indexOf('\n') + 1).trim() === source.trim() ? '' : source.slice(source.indexOf('\n') + 1).trim()
}

/** Prose as it is; what markdown could take for structure goes into a block of code. */
const proseOf = (text: string): string => {
  const plain = text === text.trim() && text.split('\n').every((line) => line === '' || /^[A-Za-z0-9("'À-￿]/.test(line)) && !/^\d+[.)]/m.test(text) && !text.includes('|')
  if (plain) return text
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}text\n${text}\n${fence}`
}

const itemsOf = (section: Section | undefined): readonly Item[] => section?.blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])) ?? []

const textsOf = (section: Section | undefined): readonly string[] =>
  itemsOf(section)
    .map(({ text }) => text)
    .filter((text) => text !== '' && !/^none\.?$/i.test(text))

/** `` `path` (NEW) - note ``; the path may stand without its quotes. */
const pathOf = ({ text, code }: Item): readonly ResultPath[] => {
  if (code) return [{ path: oneLine(code.value), ...changeOf(code.rest) }]
  const end = text.search(/\s+\(|\s+[-–—]\s/)
  const path = oneLine(end === -1 ? text : text.slice(0, end))
  return path === '' || /^none\.?$/i.test(path) ? [] : [{ path, ...changeOf(end === -1 ? '' : text.slice(end)) }]
}

const changeOf = (rest: string): { readonly change: string | null; readonly note: string | null } => {
  const match = /^\s*(?:\(([^()]*)\))?\s*(?:[-–—]\s*(.*))?$/s.exec(rest)
  if (!match) return { change: null, note: rest.trim() || null }
  return { change: oneLine(match[1] ?? '') || null, note: match[2]?.trim() || null }
}

const criterionOf = ({ text }: Item): readonly ResultCriterion[] => {
  const match = /^\[([ xX])\]\s+(.*)$/s.exec(text)
  if (!match) return []
  const met = match[1] !== ' '
  const [, before, note] = (met ? undefined : /^(.*?)\s*\((NOT DONE)\)$/is.exec(match[2]!)) ?? [undefined, match[2]!, undefined]
  return before === '' ? [] : [{ text: before!.trim(), met, note: note ?? null }]
}

const renderPath = ({ path, change, note }: ResultPath): string => {
  const ticks = '`'.repeat(Math.max(0, ...[...path.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const space = path.startsWith('`') || path.endsWith('`') ? ' ' : ''
  return `- ${ticks}${space}${oneLine(path)}${space}${ticks}${change === null ? '' : ` (${oneLine(change)})`}${note === null ? '' : ` - ${indented(note, 2)}`}`
}

const renderCriterion = ({ text, met, note }: ResultCriterion): string => `- [${met ? 'x' : ' '}] ${indented(text, 2)}${note === null ? '' : ` (${note})`}`

const renderText = (text: string): string => `- ${indented(escaped(text), 2)}`
