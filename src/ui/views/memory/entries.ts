import type { Line } from '../../../../components/Lines.tsx'
import { fit } from '../../../../components/base/fit.ts'
import type { Look } from '../../../../components/base/look.ts'
import type {
  DecisionStatus,
  DecisionsView,
  DecisionView,
  FileMemories,
  TaskContext,
  TimelineView,
  WorkingMemoryView,
  WorkingNotes,
} from '../../../contracts/memories.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { counts } from '../../../text/common.ts'
import { decisionText, recordFacts, timelineText, workingText } from '../../../text/memory.ts'
import { fact, paragraph } from '../../rows/lines.ts'
import {
  beginning,
  type Entries,
  entriesOf,
  type Entry,
  longText,
  longTime,
  problemEntry,
  section,
  shortTime,
  type Sought,
} from './rows.ts'

// The entries of the memories in files: working memory, decisions, timeline.

/** The working memory of every agent: open blockers first, then its plan, then its notes, newest first. */
export const workingEntries = ({ working, workingProblem }: FileMemories): Entries =>
  entriesOf([
    ...(workingProblem === null ? [] : [problemEntry('working', workingProblem)]),
    ...working.flatMap(entriesOfAgent),
  ])

const known = new WeakMap<WorkingMemoryView, readonly Entry[]>()

const entriesOfAgent = (view: WorkingMemoryView): readonly Entry[] => {
  const before = known.get(view)
  if (before) return before
  const entries =
    view.notes === null
      ? view.problem === null
        ? []
        : [problemEntry('working', view.problem)]
      : [headOf(view, view.notes), ...notesOf(view, view.notes)]
  known.set(view, entries)
  return entries
}

const headOf = (view: WorkingMemoryView, notes: WorkingNotes): Entry => {
  const open = notes.blockers.filter(({ resolved }) => !resolved).length
  const words = [
    notes.plan.length === 0 ? '' : workingText.atStep(notes.currentStep, notes.plan.length),
    some(open, counts.openBlockers),
    some(notes.observations.length, counts.observations),
    some(notes.decisions.length, counts.decisions),
  ].filter((part) => part !== '')
  return {
    key: view.agent,
    line: {
      text: ours(`${safeText(view.agent)}  ${shortTime(notes.lastUpdated)}  ${words.join(' · ')}`),
      bold: true,
      colour: 'cyan',
    },
    opens: { of: 'entry', tab: 'working', key: view.agent },
    title: safeText(workingText.title(view.agent)),
    sought: null,
    read: (width) => [
      ...fact(recordFacts.file, view.path),
      ...fact(recordFacts.session, notes.sessionId),
      ...fact(recordFacts.begun, longTime(notes.initialized)),
      ...fact(recordFacts.lastUpdated, longTime(notes.lastUpdated)),
      ...contextFacts(notes.currentContext),
      ...section(workingText.plan, planLines(notes, width)),
      ...section(
        workingText.holds,
        workingText
          .held(
            notes.blockers.length,
            notes.observations.length,
            notes.decisions.length,
            Object.keys(notes.keyFacts).length,
            notes.completedTasks.length,
          )
          .map((text) => ({ text: ours(text) })),
      ),
    ],
  }
}

const some = (n: number, counted: (n: number) => string): string => (n === 0 ? '' : counted(n))

const planLines = ({ plan, currentStep }: WorkingNotes, width: number): readonly Line[] =>
  plan.flatMap((step, index) => paragraph(`${stepMark(index, currentStep)} ${index + 1}. ${step}`, width))

const stepMark = (index: number, current: number | null): string =>
  current === null || index + 1 > current ? '○' : index + 1 === current ? '●' : '✓'

const notesOf = (view: WorkingMemoryView, notes: WorkingNotes): readonly Entry[] => {
  const make = entryMaker(view)
  const blockers = (resolved: boolean): readonly Entry[] =>
    newestFirst(notes.blockers.filter((one) => one.resolved === resolved)).map(
      ({ timestamp, blocker, context, resolution, resolvedAt }) =>
        make(resolved ? 'resolved' : 'blocker', timestamp, blocker, {
          context,
          more: (width) =>
            section(
              workingText.resolution(resolvedAt ? longTime(resolvedAt) : null),
              resolution ? paragraph(resolution, width) : [],
            ),
          also: resolution ?? '',
        }),
    )
  return [
    ...blockers(false),
    ...notes.plan.map((step, index) =>
      make('step', '', step, { mark: stepMark(index, notes.currentStep), label: workingText.step(index + 1) }),
    ),
    ...newestFirst(notes.observations).map(({ timestamp, content, context }) =>
      make('observation', timestamp, content, { context }),
    ),
    ...newestFirst(notes.decisions).map(({ timestamp, decision, reasoning, context }) =>
      make('decision', timestamp, decision, {
        context,
        also: reasoning,
        more: (width) => section(workingText.reasoning, reasoning === '' ? [] : paragraph(reasoning, width)),
      }),
    ),
    ...newestFirst(Object.entries(notes.keyFacts)).map(([key, { timestamp, content, context, critical }]) =>
      make(
        critical === true ? 'critical' : 'fact',
        timestamp,
        /^fact_\d+_/.test(key) ? content : `${key}: ${content}`,
        { context },
      ),
    ),
    ...blockers(true),
    ...newestFirst(notes.completedTasks).map(({ timestamp, taskId }) => make('done', timestamp, taskId)),
  ]
}

const newestFirst = <T>(entries: readonly T[]): readonly T[] => [...entries].reverse()

type Kind = 'blocker' | 'resolved' | 'step' | 'observation' | 'decision' | 'fact' | 'critical' | 'done'

const kindLooks: Record<Kind, Look> = {
  blocker: { mark: '⚑', word: workingText.kinds.blocker, colour: 'magenta' },
  resolved: { mark: '✓', word: workingText.kinds.resolved, dim: true },
  step: { mark: '○', word: workingText.kinds.step },
  observation: { mark: '·', word: workingText.kinds.observation },
  decision: { mark: '◆', word: workingText.kinds.decision, colour: 'cyan' },
  fact: { mark: '◇', word: workingText.kinds.fact },
  critical: { mark: '!', word: workingText.kinds.critical, colour: 'yellow' },
  done: { mark: '✓', word: workingText.kinds.done, dim: true },
}

interface More {
  readonly context?: TaskContext
  readonly more?: (width: number) => readonly Line[]
  /** Searched text in addition to the shown one. */
  readonly also?: string
  readonly mark?: string
  readonly label?: string
}

/** Entries of one agent. Entries of the same time differ by their turn. */
const entryMaker = (view: WorkingMemoryView) => {
  const turns = new Map<string, number>()
  return (
    kind: Kind,
    at: string,
    text: string,
    { context, more, also = '', mark = kindLooks[kind].mark, label = kindLooks[kind].word }: More = {},
  ): Entry => {
    const name = `${view.agent} ${kind} ${at}`
    const turn = (turns.get(name) ?? 0) + 1
    turns.set(name, turn)
    const key = `${name} ${turn}`
    const when: SafeText = at === '' ? fit('', 11) : shortTime(at)
    return {
      key,
      line: {
        text: ours(`  ${mark} ${fit(label, 11)}  ${when}  ${beginning(text)}`),
        colour: kindLooks[kind].colour,
        dim: kindLooks[kind].dim === true,
      },
      opens: { of: 'entry', tab: 'working', key },
      title: safeText(`${view.agent}: ${label}`),
      sought: { who: view.agent, at, text: () => `${text}\n${also}` },
      read: (width) => [
        ...fact(recordFacts.agent, view.agent),
        ...fact(recordFacts.written, at === '' ? null : longTime(at)),
        ...(context ? contextFacts(context) : []),
        { text: ours('') },
        ...longText(text, width, view.path),
        ...(more?.(width) ?? []),
      ],
    }
  }
}

const contextFacts = ({ storyId, epicId, taskId }: TaskContext): readonly Line[] => [
  ...fact(recordFacts.story, storyId ?? null),
  ...fact(recordFacts.epic, epicId ?? null),
  ...fact(recordFacts.task, taskId ?? null),
]

/** The graph of decisions as a tree: each with related ones below it, which Enter opens too. */
export const decisionEntries = ({ decisions, problems }: DecisionsView): Entries => {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]))
  return entriesOf([
    ...problems.map((problem) => problemEntry('decisions', problem)),
    ...decisions.flatMap((decision) => [nodeOf(decision), ...branchesOf(decision, byId)]),
  ])
}

const decisionLooks: Record<DecisionStatus | 'missing', Look> = {
  Draft: { mark: '◌', word: decisionText.states.Draft, colour: 'yellow' },
  Accepted: { mark: '✓', word: decisionText.states.Accepted, colour: 'green' },
  Superseded: { mark: '–', word: decisionText.states.Superseded, dim: true },
  missing: { mark: '?', word: decisionText.states.missing, colour: 'red' },
}

const nodeOf = (decision: DecisionView): Entry => {
  const { mark, word, colour, dim } = decisionLooks[decision.status]
  const { id, title, path, text } = decision
  return {
    key: id,
    line: {
      text: ours(
        `${mark} ${safeText(id)}  ${fit(word, 10)}  ${title === null ? (path === null ? decisionText.noFile : decisionText.unreadable) : beginning(title)}`,
      ),
      colour,
      dim: dim === true,
      bold: dim !== true,
    },
    opens: { of: 'entry', tab: 'decisions', key: id },
    title: safeText(title === null ? id : `${id}: ${title}`),
    sought: { who: id, at: '', text: () => text ?? title ?? id },
    read: (width) => [
      ...fact(recordFacts.status, `${mark} ${word}`),
      ...fact(recordFacts.file, path ?? decisionText.inGraphAlone),
      ...section(decisionText.relations, relationLines(decision)),
      ...section(decisionText.decision, text === null ? [] : longText(text, width, path ?? '')),
    ],
  }
}

const relationLines = ({ edges }: DecisionView): readonly Line[] =>
  edges.map(({ key, targets }) => ({
    text: safeText(`${key}: ${targets.map(({ id, note }) => (note === null ? id : `${id} (${note})`)).join(', ')}`),
  }))

const branchesOf = ({ id, edges }: DecisionView, byId: ReadonlyMap<string, DecisionView>): readonly Entry[] => {
  const branches = edges.flatMap(({ key, targets }) => targets.map((target) => ({ key, ...target })))
  return branches.map((branch, index) => {
    const target = byId.get(branch.id)
    const { mark, word, colour, dim } = decisionLooks[target?.status ?? 'missing']
    const own = `${id} ${branch.key} ${branch.id} ${index}`
    const says = [target?.title ?? '', branch.note === null ? '' : `(${branch.note})`]
      .filter((part) => part !== '')
      .join(' ')
    return {
      key: own,
      line: {
        text: ours(
          `  ${index === branches.length - 1 ? '└' : '├'}─ ${fit(safeText(branch.key.replace('_', ' ')), 13)} ${mark} ${safeText(branch.id)}  ${fit(word, 10)}  ${beginning(says)}`,
        ),
        colour: target ? undefined : colour,
        dim: target ? dim === true || target.status === 'Accepted' : false,
      },
      opens: target ? { of: 'entry', tab: 'decisions', key: branch.id } : null,
      title: safeText(branch.id),
      sought: null,
      read: () => [],
    }
  })
}

/** The timeline, newest first. It is only appended to, so the number of an entry is its key. */
export const timelineEntries = ({ entries, problems }: TimelineView): Entries => {
  const shown = problems.slice(0, 3).map((problem) => problemEntry('timeline', problem))
  const made = new Map<number, Entry>()
  const entryAt = (number: number): Entry => {
    const before = made.get(number)
    if (before) return before
    const entry = entryOf(number, entries[number]!)
    made.set(number, entry)
    return entry
  }
  return {
    total: shown.length + entries.length,
    row: (index) => shown[index] ?? entryAt(entries.length - 1 - (index - shown.length)),
    sought: (index) => (index < shown.length ? null : soughtIn(entries[entries.length - 1 - (index - shown.length)]!)),
    find: (key) => {
      const problem = shown.findIndex((entry) => entry.key === key)
      if (problem !== -1) return problem
      const number = /^\d+$/.test(key) ? Number(key) : -1
      return number >= 0 && number < entries.length ? shown.length + entries.length - 1 - number : -1
    },
  }
}

type TimelineEntry = TimelineView['entries'][number]

const soughtIn = ({ agent, at, title, notes }: TimelineEntry): Sought => ({
  who: agent,
  at,
  text: () => [title, ...notes].join('\n'),
})

const FILE = 'context/meta/timeline.md'

const entryOf = (number: number, timelineEntry: TimelineEntry): Entry => {
  const { at, agent, title, notes, line } = timelineEntry
  return {
    key: String(number),
    line: {
      text: ours(
        `${shortTime(at)}  ${fit(safeText(agent), 12)}  ${beginning(title)}${notes.length === 0 ? '' : ` · ${beginning(notes[0]!)}`}`,
      ),
    },
    opens: { of: 'entry', tab: 'timeline', key: String(number) },
    title: safeText(title),
    sought: soughtIn(timelineEntry),
    read: (width) => [
      ...fact(recordFacts.when, longTime(at)),
      ...fact(recordFacts.who, agent),
      ...fact(recordFacts.file, timelineText.place(FILE, line)),
      ...section(
        timelineText.notes,
        notes.flatMap((note) => longText(`- ${note}`, width, FILE)),
      ),
    ],
  }
}
