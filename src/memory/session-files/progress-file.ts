import { agentIdPattern, describeFile } from './file-names.ts'
import { FormatError } from '../format-error.ts'
import { type Block, listBelow, readDocument } from './markdown.ts'
import { agreed, bullet, documentOf, keyOf, LeftOver, type Other, type Section, sectionsOf } from './sections.ts'
import { isNone, manyLines, oneLine, pathsLine, pathsOf, plainDashes, plainWord, shown, taskOf } from './values.ts'

/** `progress-{agent}.md`: an agent's actions, turn by turn. */
export interface ProgressFile {
  readonly agent: string
  /** N of `task-N`. */
  readonly task: number | null
  /** As written, not necessarily an instant. */
  readonly startedAt: string | null
  /** In the order of the file. */
  readonly turns: readonly Turn[]
  /** `head` is above the turns, `end` (unknown headings) below them. */
  readonly other: Other<'head' | 'end'>
}

export interface Turn {
  readonly turn: number
  /** As written, not necessarily an instant. */
  readonly at: string | null
  /** One line; empty only if another turn follows. */
  readonly action: string
  /** One line. */
  readonly status: string | null
  readonly details: string | null
  readonly files: readonly string[]
  readonly summary: string | null
  readonly other: Other<'end'>
}

/** A parsed file. */
export interface ReadProgress extends ProgressFile {
  readonly turns: readonly (Turn & { readonly line: number })[]
  /** True if the last turn is incomplete, and left out. */
  readonly unfinished: boolean
}

const keys = ['action', 'status', 'details', 'files', 'summary'] as const

/** Parses complete lines only. Refuses a file that does not name its agent, or names two agents or tasks. */
export const parseProgress = (text: string, file: string): ReadProgress => {
  const whole = text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
  const document = readDocument(whole)
  const { above, sections } = sectionsOf(document.blocks, 3)
  const other = new LeftOver<'head' | 'end'>()
  other.keep('head', ...above)
  let agent: string | undefined
  let task: number | undefined
  let startedAt: string | undefined
  const turns: (Turn & { readonly line: number })[] = []
  for (const section of sections) {
    const title = titleOf(section)
    const turn = section.depth > 1 ? /^turn\s+#?(\d{1,9})(?!\w)\s?\s?[-–—:]?(.*)$/is.exec(section.text) : null
    const named = section.depth === 2 && section.name === 'task' ? taskOf(section.value) : undefined
    if (turn) turns.push(readTurn(section, Number(turn[1]), turn[2]!.trim() || null))
    else if (title !== undefined) {
      if (title !== '') agent = agreed(agent, agentOf(title, section, file), section, file)
      other.keep('head', ...section.body)
    } else if (named) {
      task = agreed(task, named.id, section, file)
      if (named.more === '') other.keep('head', ...section.body)
      else other.keep('end', section.heading, ...section.body)
    } else if (section.depth === 2 && section.name === 'task' && isNone(section.value))
      other.keep('head', ...section.body)
    else if (
      section.depth === 2 &&
      section.name === 'started' &&
      section.value !== '' &&
      (startedAt ?? section.value) === section.value
    ) {
      startedAt = section.value
      other.keep('head', ...section.body)
    } else other.keep('end', section.heading, ...section.body)
  }
  const cut = document.open !== undefined || text.slice(whole.length).trim() !== ''
  const complete = finished(cut ? turns.slice(0, -1) : turns)
  return {
    agent: agent ?? agentOfName(file),
    task: task ?? null,
    startedAt: startedAt ?? null,
    turns: once(complete),
    unfinished: cut || complete.length < turns.length,
    other: other.all(),
  }
}

export const renderProgress = ({ agent, task, startedAt, turns, other }: ProgressFile): string =>
  documentOf(
    [
      `# Progress: ${agent}`,
      ...(task === null ? [] : [`## Task: task-${task}`]),
      `## Agent ID: ${agent}`,
      ...(startedAt === null ? [] : [`## Started: ${oneLine(startedAt)}`]),
    ].join('\n'),
    other.head,
    ...turns.flatMap((turn) => [renderTurn(turn), turn.other.end]),
    other.end,
  )

const renderTurn = ({ turn, at, action, status, details, files, summary }: Turn): string =>
  [
    `### Turn ${turn}${at === null ? '' : ` - ${oneLine(at)}`}`,
    ...(oneLine(action) === '' ? [] : [bullet('Action', oneLine(action))]),
    ...(status === null ? [] : [bullet('Status', oneLine(status))]),
    ...(details === null ? [] : [bullet('Details', manyLines(details))]),
    ...(files.length === 0 ? [] : [bullet('Files', pathsLine(files.map(oneLine)))]),
    ...(summary === null ? [] : [bullet('Summary', manyLines(summary))]),
  ].join('\n')

/** The kind of `# Progress: …` and `## Agent ID: …`; undefined for other headings. */
const titleOf = ({ depth, name, value }: Section): string | undefined =>
  (depth === 1 && (name === 'progress' || name === 'progress log' || name === 'progress report')) ||
  (depth === 2 && name === 'agent id')
    ? plainWord(value)
    : undefined

const agentOf = (id: string, { heading }: Section, file: string): string => {
  if (agentIdPattern.test(id)) return id
  throw new FormatError(
    file,
    heading.line,
    `${shown(id)} is not a valid agent id; write # Progress: with the agent's id.`,
  )
}

/** A file without an agent's name belongs to the agent in its file name. */
const agentOfName = (file: string): string => {
  const named = describeFile(file.slice(file.lastIndexOf('/') + 1))
  if (named && 'agent' in named) return named.agent
  throw new FormatError(file, 1, "the heading # Progress: with the agent's id is missing.")
}

const readTurn = ({ heading, body }: Section, turn: number, at: string | null): Turn & { readonly line: number } => {
  const other = new LeftOver<'end'>()
  const found = new Map<(typeof keys)[number], string | readonly string[]>()
  const below = body.findIndex(({ kind }) => kind === 'heading')
  for (const block of below === -1 ? body : body.slice(0, below)) {
    const keyed = block.kind === 'item' ? keyOf(block, keys) : undefined
    const said = keyed && (keyed.key === 'files' ? filesOf(block, keyed.value) : keyed.value)
    if (!keyed || (found.has(keyed.key) && said!.length > 0)) other.keep('end', block)
    else if (said!.length > 0) found.set(keyed.key, said!)
  }
  if (below !== -1) other.keep('end', ...body.slice(below))
  const text = (key: (typeof keys)[number]): string => (found.get(key) as string | undefined) ?? ''
  return {
    turn,
    at,
    action: oneLine(text('action')),
    status: oneLine(text('status')) || null,
    details: manyLines(text('details')) || null,
    files: (found.get('files') as readonly string[] | undefined) ?? [],
    summary: manyLines(text('summary')) || null,
    other: other.all(),
    line: heading.line,
  }
}

/** Separated by commas, or one per bullet. */
const filesOf = (item: Block, value: string): readonly string[] => {
  const { texts } = listBelow(item)
  return texts.length === 0 ? pathsOf(oneLine(value)) : texts.flatMap((text) => pathsOf(plainDashes(oneLine(text))))
}

/** The turns up to the last one with an action. */
const finished = <T extends Turn>(turns: readonly T[]): readonly T[] =>
  turns.slice(0, turns.findLastIndex(({ action }) => action !== '') + 1)

/** Removes repeated turns of an agent that appended its file to itself. */
const once = <T extends Turn & { readonly line: number }>(turns: readonly T[]): readonly T[] => {
  const seen = new Set<string>()
  return turns.filter(({ line: _, ...turn }) => {
    const key = JSON.stringify(turn)
    return !seen.has(key) && seen.add(key)
  })
}

/** The file without the template's placeholders: `{ISO timestamp}` stays in the file, but is not a value. */
export const filledIn = (file: ReturnType<typeof parseProgress>): ReturnType<typeof parseProgress> => ({
  ...file,
  startedAt: file.startedAt !== null && isTemplate(file.startedAt) ? null : file.startedAt,
  turns: file.turns.map((turn) => (turn.at !== null && isTemplate(turn.at) ? { ...turn, at: null } : turn)),
})

const isTemplate = (value: string): boolean => /^\{[^{}]*\}$/.test(value.trim())
