/** The part of a Rolldown plugin that this file needs. */
export interface StringWidthPlugin {
  readonly name: string
  resolveId(source: string, importer: string | undefined): string | null
  load(id: string): string | null
}

const remembered = '\0string-width-remembered'

/**
 * Ink measures every piece of text anew in each frame, and measuring anything but ASCII is slow: a third of the time
 * between a key and its frame (200×50, borders and marks). In the bundle, `string-width` remembers what it measured.
 */
export const rememberedStringWidth = (): StringWidthPlugin => ({
  name: 'string-width-remembered',
  resolveId: (source, importer) => (source === 'string-width' && importer !== remembered ? remembered : null),
  load: (id) => (id === remembered ? code : null),
})

const code = `
import measure from 'string-width'
const widths = new Map()
export default (text, options) => {
  if (options !== undefined || text.length > 300) return measure(text, options)
  let width = widths.get(text)
  if (width === undefined) {
    // Bounded: log lines come and go for days.
    if (widths.size >= 20_000) widths.clear()
    width = measure(text)
    widths.set(text, width)
  }
  return width
}
`
