import { join } from 'node:path'
import { places } from '../../memory/project-memory/names.ts'
import { type ProjectPlace, textAt } from '../../memory/project-memory/store.ts'
import { parseTimeline } from '../../memory/project-memory/timeline.ts'
import type { TimelineView } from '../../contracts/memories.ts'
import type { KnownFiles, Sentences } from './known-files.ts'

/** Reads the timeline, including lines that are not entries. */
export const timelineReader =
  (place: ProjectPlace, known: KnownFiles, sentence: Sentences) => (): Promise<TimelineView> =>
    known(join(place.root, places.timeline), () =>
      sentence<TimelineView>(
        () => {
          const { entries, problems } = parseTimeline(textAt(place, places.timeline) ?? '')
          return { entries, problems: problems.map(({ line, problem }) => `${places.timeline}:${line}: ${problem}`) }
        },
        (problem) => ({ entries: [], problems: [problem] }),
      ),
    )
