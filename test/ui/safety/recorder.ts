import { uncleanIn } from './families.ts'

// The props of the components while the real console draws: the hostile sources that reach each of their fields.

export interface Recorder {
  /** Sources by field, such as `Board.rows[].title` and `title`. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>
  /** Fields with a text that was not made safe, and that text. */
  readonly unclean: ReadonlyMap<string, string>
  /** Fields that were drawn with any text. */
  readonly drawn: ReadonlySet<string>
  see(type: unknown, props: unknown): void
}

export const makeRecorder = (components: ReadonlySet<string>): Recorder => {
  const sources = new Map<string, Set<string>>()
  const unclean = new Map<string, string>()
  const drawn = new Set<string>()
  const text = (path: string, value: string): void => {
    if (value === '') return
    drawn.add(path)
    const dirt = uncleanIn(value)
    if (dirt !== '' && !unclean.has(path)) unclean.set(path, dirt)
    for (const [, source] of value.matchAll(/evil-([a-z]+)/g)) {
      const known = sources.get(path)
      if (known) known.add(source!)
      else sources.set(path, new Set([source!]))
    }
  }
  const look = (path: string, value: unknown): void => {
    if (typeof value === 'string') return text(path, value)
    if (Array.isArray(value)) return value.forEach((item) => look(`${path}[]`, item))
    // Elements were recorded when they were created.
    if (typeof value !== 'object' || value === null || '$$typeof' in value) return
    for (const [name, inside] of Object.entries(value)) look(`${path}.${name}`, inside)
  }
  return {
    sources,
    unclean,
    drawn,
    see: (type, props) => {
      const name = nameOf(type)
      if (components.has(name)) look(name, props)
    },
  }
}

const nameOf = (type: unknown): string => {
  if (typeof type !== 'function' && (typeof type !== 'object' || type === null)) return ''
  const { displayName, name } = type as { readonly displayName?: string; readonly name?: string }
  return displayName ?? name ?? ''
}
