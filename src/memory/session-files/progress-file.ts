import { besides, bullet, bulletsOf, headingOf, headingValue, layOut, leftOver, paragraphs, taskNumberOf } from './fields.ts'
import { agentIdPattern } from './file-names.ts'
import { FormatError } from './format-error.ts'
import { type Block, type Item, oneLine, type Section, sectionsOf } from './markdown.ts'

/** `progress-{agent}.md`: what an agent did, turn by turn. */
export interface ProgressFile {
  readonly agent: string
  /** N of `task-N`. */
  readonly task: number | null
  readonly startedAt: string | null
  readonly turns: readonly Turn[]
  /** The last turn is still being written, and left out. */
  readonly unfinished: boolean
  /** What is none of this, as it stands. */
  readonly other: readonly string[]
}

export interface Turn {
  readonly turn: number
  readonly at: string | null
  readonly action: string
  readonly status: string | null
  readonly details: string | null
  readonly files: readonly string[]
  readonly summary: string | null
  readonly other: readonly string[]
}

const keys = ['action', 'status', 'details', 'files', 'summary']

/** Refuses a file that does not say whose it is. */
export const parseProgress = (text: string, file: string): ProgressFile => {
  const sections = sectionsOf(text)
  const title = headingValue(sections, 'progress', file)
  const agent = title?.value || headingValue(sections, 'agent id', file)?.value
  if (!agent || !agentIdPattern.test(agent)) throw new FormatError(file, title?.line ?? 1, "the heading '# Progress: {agent}' with the agent's id is missing.")
  const task = headingValue(sections, 'task', file)
  const number = task && taskNumberOf(task.value)
  if (task && task.value !== '' && number === undefined) throw new FormatError(file, task.line, `'${task.value.slice(0, 60)}' is no task; write task-N.`)
  const groups = turnGroups(sections)
  const turns = groups.turns.map(({ head, below }) => turnOf(head, below))
  const last = turns.at(-1)
  const unfinished = last !== undefined && (last.action === '' || !text.endsWith('\n'))
  const empty = turns.slice(0, -1).findIndex((turn) => turn.action === '')
  if (empty !== -1) throw new FormatError(file, groups.turns[empty]!.head.line, `turn ${turns[empty]!.turn} has no action.`)
  return {
    agent,
    task: number ?? null,
    startedAt: headingValue(sections, 'started', file)?.value || null,
    turns: unfinished ? turns.slice(0, -1) : turns,
    unfinished,
    other: groups.other,
  }
}

export const renderProgress = ({ agent, task, startedAt, turns, other }: ProgressFile): string =>
  paragraphs([
    ...layOut(
      [`# Progress: ${agent}`, ...(task === null ? [] : [`## Task: task-${task}`]), `## Agent ID: ${agent}`, ...(startedAt === null ? [] : [`## Started: ${startedAt}`])].join(
        '\n',
      ),
      [],
      other,
    ),
    ...turns.flatMap(renderTurn),
  ])

const renderTurn = ({ turn, at, action, status, details, files, summary, other }: Turn): readonly string[] =>
  layOut(
    `### Turn ${turn}${at === null ? '' : ` - ${at}`}`,
    [
      bullet('Action', action),
      ...(status === null ? [] : [bullet('Status', status)]),
      ...(details === null ? [] : [bullet('Details', details)]),
      ...(files.length === 0 ? [] : [bullet('Files', files.join(', '))]),
      ...(summary === null ? [] : [bullet('Summary', summary)]),
    ],
    other,
  )

interface TurnGroup {
  readonly head: Section
  readonly below: Section[]
}

/** `### Turn N - time` and the deeper headings below it; all that is neither a turn nor of the file's head is left over. */
const turnGroups = (sections: readonly Section[]): { readonly turns: readonly TurnGroup[]; readonly other: readonly string[] } => {
  const turns: TurnGroup[] = []
  const loose: Block[] = []
  const unknown: Section[] = []
  let within: TurnGroup | undefined
  for (const section of sections) {
    if (turnTitle(section)) turns.push((within = { head: section, below: [] }))
    else if (within && section.depth > within.head.depth) within.below.push(section)
    else {
      within = undefined
      if (section.depth === 0 || ['progress', 'task', 'agent id', 'started'].includes(headingOf(section).key)) loose.push(...section.blocks)
      else unknown.push(section)
    }
  }
  return { turns, other: besides(loose, unknown) }
}

const turnTitle = ({ title }: Section): { readonly turn: number; readonly at: string | null } | undefined => {
  const match = /^turn\s+(\d{1,9})(?:\s*[-–—:]\s*(.*))?$/i.exec(title)
  return match ? { turn: Number(match[1]), at: match[2]?.trim() || null } : undefined
}

const turnOf = (head: Section, below: readonly Section[]): Turn => {
  const { found, rest } = bulletsOf(head.blocks, keys)
  const value = (key: string): string | null => found.get(key)?.value || null
  return {
    ...turnTitle(head)!,
    action: oneLine(value('action') ?? ''),
    status: value('status'),
    details: value('details'),
    files: filesOf(found.get('files')),
    summary: value('summary'),
    other: leftOver(head.blocks, rest, below),
  }
}

/** With commas between them, or a bullet each. */
const filesOf = (item: Item | undefined): readonly string[] => {
  if (!item) return []
  const listed = item.items.length > 0 ? item.items.map(({ text }) => text) : item.value.split(',')
  return listed.map((path) => path.trim().replace(/^`(.*)`$/, '$1')).filter((path) => path !== '' && !/^none$/i.test(path))
}
