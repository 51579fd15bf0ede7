import { estimatedTokens } from '../../domain/context-health.ts'
import { Refusal } from '../../domain/refusal.ts'
import { decodeText } from '../session-files/decode.ts'
import { archiveCopy } from './archive.ts'
import { places } from './names.ts'
import { alone, bytesOf, named, type ProjectPlace, writeAt } from './place.ts'
import { addEntry, addEvent } from './record.ts'
import { parsePhases } from './summary.ts'
import { COMPRESS_ABOVE } from './limits.ts'

/** About how many tokens a text is to a model that did not count them itself: a quarter of its characters, rounded up. */
export const tokensOf = (text: string): number => estimatedTokens([...text].length)

export interface Compression {
  /** What the context has now, as the agent's own output counted it, or its text; without either it is compressed anyway. */
  readonly tokens?: number | undefined
  readonly context?: string | undefined
  readonly summary: string
  readonly details: string
}

export interface Compressed {
  readonly compressed: boolean
  readonly tokens: number | null
  /** What the context keeps; null where it was small enough to stay. */
  readonly context: string | null
  readonly archived: readonly string[]
}

/** Puts the details into the timeline and leaves the summary as all that a context needs. What fails half-way leaves what was not yet replaced. */
export const compressMemory = (place: ProjectPlace, { tokens, context, summary, details }: Compression, writer: string): Compressed => {
  const counted = tokens ?? (context === undefined ? null : tokensOf(context))
  if (counted !== null && counted <= COMPRESS_ABOVE) return { compressed: false, tokens: counted, context: null, archived: [] }
  if (summary.trim() === '') throw new Refusal('invalid_input', 'A summary was expected; it is all that remains of the context.')
  named(() => parsePhases(decodeText(Buffer.from(summary), places.summary)))
  named(() => decodeText(Buffer.from(details), places.timeline))
  return alone(place, () => {
    addEntry(place, { at: place.clock(), agent: writer, title: 'Context compressed', notes: notesIn(details) })
    const archived: string[] = []
    if (bytesOf(place, places.summary) !== undefined) archived.push(archiveCopy(place, places.summary))
    writeAt(place, places.summary, summary)
    if (bytesOf(place, places.fileState) !== undefined) archived.push(archiveCopy(place, places.fileState))
    addEvent(place, { type: 'compressed', ...(counted === null ? {} : { tokens: counted }), agent: writer })
    return { compressed: true, tokens: counted, context: summary, archived }
  })
}

/** Bullets as they are, each with the lines below it; other lines become bullets. */
const notesIn = (details: string): readonly string[] => {
  const notes: string[] = []
  let inside = false
  for (const line of details.replace(/\r\n?/g, '\n').split('\n')) {
    if (line.trim() === '') {
      if (inside) notes.push(`${notes.pop()}\n`)
    } else if (line.startsWith('- ')) {
      notes.push(line.slice(2))
      inside = true
    } else if (inside && line.startsWith('  ')) notes.push(`${notes.pop()}\n${line.slice(2)}`)
    else {
      notes.push(line)
      inside = false
    }
  }
  return notes
}
