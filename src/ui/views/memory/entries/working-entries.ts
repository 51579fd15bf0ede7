import { ours, safeText } from '../../../../domain/words/safe-text.ts'
import type { FileMemories, WorkingMemoryView, WorkingNotes } from '../../../../contracts/memories.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import { fact, paragraph } from '../../../rows/lines.ts'
import { type Entries, entriesOf, type Entry } from './entry.ts'
import { problemEntry } from './problem-entry.ts'
import { contextFacts, entryMaker } from './working-entry.ts'
import { section } from '../text-lines.ts'
import { longTime, shortTime } from '../words.ts'
import { counts } from '../../../../text/common.ts'
import { recordFacts, workingText } from '../../../../text/memory.ts'

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
