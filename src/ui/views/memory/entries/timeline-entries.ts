import { ours, safeText } from '../../../../domain/words/safe-text.ts'
import type { TimelineView } from '../../../../contracts/memories.ts'
import { fit } from '../../../../../components/base/fit.ts'
import { fact } from '../../../rows/lines.ts'
import type { Entries, Entry, Sought } from './entry.ts'
import { problemEntry } from './problem-entry.ts'
import { longText, section } from '../text-lines.ts'
import { beginning, longTime, shortTime } from '../words.ts'
import { recordFacts, timelineText } from '../../../../text/memory.ts'

const FILE = 'context/meta/timeline.md'

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
