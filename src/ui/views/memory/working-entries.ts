import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { FileMemories, TaskContext, WorkingMemoryView, WorkingNotes } from '../../../contracts/memories.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { Look } from '../../../../components/base/look.ts'
import { fact, paragraph } from '../../rows/lines.ts'
import { type Entries, entriesOf, type Entry } from './entry.ts'
import { problemEntry } from './problem-entry.ts'
import { longText, section } from './text-lines.ts'
import { beginning, longTime, shortTime } from './words.ts'
import { counts } from '../../../text/common.ts'
import { recordFacts, workingText } from '../../../text/memory.ts'

/** The working memory of every agent: open blockers first, then its plan, then its notes, newest first. */
export const workingEntries = ({ working, workingProblem }: FileMemories): Entries =>
  entriesOf([...(workingProblem === null ? [] : [problemEntry('working', workingProblem)]), ...working.flatMap(entriesOfAgent)])

type Kind = 'blocker' | 'resolved' | 'step' | 'observation' | 'decision' | 'fact' | 'critical' | 'done'

const looks: Record<Kind, Look> = {
  blocker: { mark: '⚑', word: workingText.kinds.blocker, colour: 'magenta' },
  resolved: { mark: '✓', word: workingText.kinds.resolved, dim: true },
  step: { mark: '○', word: workingText.kinds.step },
  observation: { mark: '·', word: workingText.kinds.observation },
  decision: { mark: '◆', word: workingText.kinds.decision, colour: 'cyan' },
  fact: { mark: '◇', word: workingText.kinds.fact },
  critical: { mark: '!', word: workingText.kinds.critical, colour: 'yellow' },
  done: { mark: '✓', word: workingText.kinds.done, dim: true },
}

const known = new WeakMap<WorkingMemoryView, readonly Entry[]>()

const entriesOfAgent = (view: WorkingMemoryView): readonly Entry[] => {
  const before = known.get(view)
  if (before) return before
  const entries = view.notes === null ? (view.problem === null ? [] : [problemEntry('working', view.problem)]) : [headOf(view, view.notes), ...notesOf(view, view.notes)]
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
    line: { text: ours(`${safeText(view.agent)}  ${shortTime(notes.lastUpdated)}  ${words.join(' · ')}`), bold: true, colour: 'cyan' },
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
          .held(notes.blockers.length, notes.observations.length, notes.decisions.length, Object.keys(notes.keyFacts).length, notes.completedTasks.length)
          .map((text) => ({ text: ours(text) })),
      ),
    ],
  }
}

const some = (n: number, counted: (n: number) => string): string => (n === 0 ? '' : counted(n))

const planLines = ({ plan, currentStep }: WorkingNotes, width: number): readonly Line[] =>
  plan.flatMap((step, index) => paragraph(`${stepMark(index, currentStep)} ${index + 1}. ${step}`, width))

const stepMark = (index: number, current: number | null): string => (current === null || index + 1 > current ? '○' : index + 1 === current ? '●' : '✓')

const notesOf = (view: WorkingMemoryView, notes: WorkingNotes): readonly Entry[] => {
  const make = entryMaker(view)
  const blockers = (resolved: boolean): readonly Entry[] =>
    newestFirst(notes.blockers.filter((one) => one.resolved === resolved)).map(({ timestamp, blocker, context, resolution, resolvedAt }) =>
      make(resolved ? 'resolved' : 'blocker', timestamp, blocker, {
        context,
        more: (width) => section(workingText.resolution(resolvedAt ? longTime(resolvedAt) : null), resolution ? paragraph(resolution, width) : []),
        also: resolution ?? '',
      }),
    )
  return [
    ...blockers(false),
    ...notes.plan.map((step, index) => make('step', '', step, { mark: stepMark(index, notes.currentStep), label: workingText.step(index + 1) })),
    ...newestFirst(notes.observations).map(({ timestamp, content, context }) => make('observation', timestamp, content, { context })),
    ...newestFirst(notes.decisions).map(({ timestamp, decision, reasoning, context }) =>
      make('decision', timestamp, decision, { context, also: reasoning, more: (width) => section(workingText.reasoning, reasoning === '' ? [] : paragraph(reasoning, width)) }),
    ),
    ...newestFirst(Object.entries(notes.keyFacts)).map(([key, { timestamp, content, context, critical }]) =>
      make(critical === true ? 'critical' : 'fact', timestamp, /^fact_\d+_/.test(key) ? content : `${key}: ${content}`, { context }),
    ),
    ...blockers(true),
    ...newestFirst(notes.completedTasks).map(({ timestamp, taskId }) => make('done', timestamp, taskId)),
  ]
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
  return (kind: Kind, at: string, text: string, { context, more, also = '', mark = looks[kind].mark, label = looks[kind].word }: More = {}): Entry => {
    const name = `${view.agent} ${kind} ${at}`
    const turn = (turns.get(name) ?? 0) + 1
    turns.set(name, turn)
    const key = `${name} ${turn}`
    const when: SafeText = at === '' ? fit('', 11) : shortTime(at)
    return {
      key,
      line: { text: ours(`  ${mark} ${fit(label, 11)}  ${when}  ${beginning(text)}`), colour: looks[kind].colour, dim: looks[kind].dim === true },
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

const newestFirst = <T>(entries: readonly T[]): readonly T[] => [...entries].reverse()
