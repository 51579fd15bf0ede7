import { Refusal } from '../../domain/rules/refusal.ts'
import { agentIdPattern } from '../session-files/file-names.ts'
import { indented, manyLines, oneLine, shown } from '../session-files/values.ts'
import { prefixOf, prefixProblem } from './ledger.ts'
import { places } from './names.ts'
import { alone, appendAt, bytesOf, type ProjectPlace, readLedger, writeLedger } from './store.ts'

/** Adds an entry to the timeline. `writer` is an agent's id, or that of the person. */
export const appendTimeline = (
  place: ProjectPlace,
  { title, notes }: { readonly title: string; readonly notes: readonly string[] },
  writer: string,
): TimelineEntry => {
  const said = oneLine(title)
  if (said === '' || said.length > 500) throw new Refusal('invalid_input', 'A title must have 1 to 500 characters.')
  if ([title, ...notes].some((text) => text.includes('\0')))
    throw new Refusal('invalid_input', 'A text must not contain NUL characters.')
  return alone(place, () =>
    addEntry(place, {
      at: place.clock(),
      agent: writer,
      title: said,
      notes: notes.map(manyLines).filter((note) => note !== ''),
    }),
  )
}

/** Adds an entry and records the new content, unless the file was changed by hand before. The caller holds the lock. */
export const addEntry = (place: ProjectPlace, entry: TimelineEntry): TimelineEntry => {
  const before = bytesOf(place, places.timeline)
  const ledger = readLedger(place)
  const sound = prefixProblem(ledger.timeline, before ?? Buffer.alloc(0)) === undefined
  appendAt(place, places.timeline, `${before === undefined ? timelineHead : ''}\n${renderEntry(entry)}`)
  if (sound) writeLedger(place, { ...ledger, timeline: prefixOf(bytesOf(place, places.timeline)!) })
  return entry
}

// `timeline.md` is only appended to, so it is parsed line by line: an unclosed code fence does not swallow later
// entries.

/** `## <ISO> - <agent> - <title>` and its bullets. */
export interface TimelineEntry {
  /** The time as written. */
  readonly at: string
  readonly agent: string
  readonly title: string
  /** The notes; lines within one are separated by LF. */
  readonly notes: readonly string[]
}

export interface ReadEntry extends TimelineEntry {
  /** From 1. */
  readonly line: number
  /** Its lines unchanged. */
  readonly lines: readonly string[]
}

interface Timeline {
  /** The lines above the first entry. */
  readonly head: readonly string[]
  readonly entries: readonly ReadEntry[]
  /** Headings that are not entries, with reasons. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[]
}

/** The first line of an empty timeline. */
export const timelineHead = '# Timeline\n'

export const parseTimeline = (text: string): Timeline => {
  const lines = text.split('\n')
  const problems: { line: number; problem: string }[] = []
  const starts: { at: number; heading: Heading }[] = []
  let fence: string | undefined
  for (const [at, line] of lines.entries()) {
    const heading = headingOf(line)
    if (typeof heading === 'object') {
      starts.push({ at, heading })
      fence = undefined
    } else if (fence !== undefined) {
      if (line.trimEnd() === fence) fence = undefined
    } else if (heading !== undefined) problems.push({ line: at + 1, problem: heading })
    else fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0]
  }
  const entries = starts.map(({ at, heading }, index) => {
    const own = lines.slice(at, starts[index + 1]?.at)
    return { ...heading, notes: notesOf(own.slice(1)), line: at + 1, lines: own }
  })
  return { head: lines.slice(0, starts[0]?.at), entries, problems }
}

export const renderTimeline = ({ head, entries }: Timeline): string =>
  [...head, ...entries.flatMap(({ lines }) => lines)].join('\n')

/** An entry as it is appended. */
export const renderEntry = ({ at, agent, title, notes }: TimelineEntry): string =>
  [`## ${at} - ${agent} - ${oneLine(title)}`, ...notes.map((note) => `- ${indented(manyLines(note))}`)].join('\n') +
  '\n'

type Heading = Pick<TimelineEntry, 'at' | 'agent' | 'title'>

/**
 * Parses the heading of an entry; returns a problem as text if it is invalid, and undefined if it is not a `##` line.
 */
const headingOf = (line: string): Heading | string | undefined => {
  if (!/^##\s/.test(line)) return undefined
  const match = /^## (\S+(?: [\d:.]+)?) - (\S+) - (.+)$/s.exec(line.trimEnd())
  if (!match) return `${shown(line)} is not an entry; write ## <time> - <agent> - <title>.`
  const [, at, agent, title] = match as unknown as [string, string, string, string]
  if (momentOf(at) === undefined) return `${shown(at)} is not a time; write it like 2026-01-04T01:05:00.000Z.`
  if (!agentIdPattern.test(agent)) return `${shown(agent)} is not a valid agent id.`
  return { at, agent, title }
}

/** Bullets at the start of a line, with the indented lines below them. */
const notesOf = (lines: readonly string[]): readonly string[] => {
  const notes: string[][] = []
  let inside = false
  for (const line of lines) {
    if (line.startsWith('- ')) {
      notes.push([line.slice(2)])
      inside = true
    } else if (line.trim() === '' || line.startsWith('  ')) {
      if (inside) notes.at(-1)!.push(line.slice(2))
    } else inside = false
  }
  return notes.map((note) => manyLines(note.join('\n')))
}

const form = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * Milliseconds of a time in any form that people and agents write (a date, with or without seconds and zone); undefined
 * if it is invalid.
 */
export const momentOf = (text: string): number | undefined => {
  const match = form.exec(text.trim())
  if (!match) return undefined
  const [, date, minutes = '00:00', seconds = ':00', zone = 'Z'] = match
  const day = new Date(`${date}T00:00:00Z`)
  // 31 February would be parsed as a day of March.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined
  const moment = Date.parse(
    `${date}T${minutes}${seconds}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()}`,
  )
  return Number.isNaN(moment) ? undefined : moment
}
