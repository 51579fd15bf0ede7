import { COMPRESS_ABOVE, estimatedTokens } from '../../domain/agent/context-health.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { decodeText } from '../decode.ts'
import { alone, archiveCopy, bytesOf, named, type ProjectPlace, writeAt } from './store.ts'
import { places } from './names.ts'
import { addEntry } from './timeline.ts'
import { addEvent } from './working-log.ts'
import { parsePhases } from './summary.ts'

/** The approximate number of tokens in a text: a quarter of its characters, rounded up. */
export const tokensOf = (text: string): number => estimatedTokens([...text].length)

export interface Compression {
  /**
   * The present context, as a token count from the agent's own output or as text; without either it is always
   * compressed.
   */
  readonly tokens?: number | undefined
  readonly context?: string | undefined
  readonly summary: string
  readonly details: string
}

export interface Compressed {
  readonly compressed: boolean
  readonly tokens: number | null
  /** The text to keep in the context; null if the context was small enough. */
  readonly context: string | null
  readonly archived: readonly string[]
}

/**
 * Adds the details to the timeline and returns the summary as the new context. A failure in between leaves files that
 * were not yet replaced unchanged.
 */
export const compressMemory = (
  place: ProjectPlace,
  { tokens, context, summary, details }: Compression,
  writer: string,
): Compressed => {
  const counted = tokens ?? (context === undefined ? null : tokensOf(context))
  if (counted !== null && counted <= COMPRESS_ABOVE)
    return { compressed: false, tokens: counted, context: null, archived: [] }
  if (summary.trim() === '')
    throw new Refusal('invalid_input', 'A summary is required; it is all that remains of the context.')
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

/** Bullets unchanged, each with the lines below it; other lines become bullets. */
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
