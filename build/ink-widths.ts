import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The part of a Rolldown plugin that this file needs. */
export interface RememberedPlugin {
  readonly name: string
  resolveId?(source: string, importer: string | undefined): string | null
  load?(id: string): string | null
  transform?(code: string, id: string): string | null
}

const widths = '\0string-width-remembered'
const clean = '\0sanitize-ansi-remembered'
const narrow = fileURLToPath(new URL('../src/ui/frames/narrow.ts', import.meta.url))
const stringWidth = /[\\/]string-width[\\/]index\.js$/
const inInk = /[\\/]ink[\\/]build[\\/][^\\/]+$/

/**
 * Ink measures every piece of text again in each frame, and sanitises it again: a third and a tenth of the time between
 * a key and its frame (200×50, borders and marks). In the bundle both functions cache their results. The emoji
 * expressions cost the first frame 15 ms, so they are created only for the first text that may contain an emoji, and
 * the segmenters of seven modules, the first of which loads the tables, only for the first text that is segmented.
 */
export const remembered = (): readonly RememberedPlugin[] => [
  rememberedWidths,
  rememberedSanitizer(),
  changing('expressions-made-late', (code, id) =>
    stringWidth.test(id) ? code.replaceAll(expression, expressionMadeLate) : code,
  ),
  changing('segmenters-made-late', (code) => code.replaceAll(segmenter, segmenterMadeLate)),
]

const rememberedWidths: RememberedPlugin = {
  name: 'widths-remembered',
  resolveId: (source, importer = '') => (source === 'string-width' && importer !== widths ? widths : null),
  load: (id) =>
    id === widths
      ? `import { narrowWidth } from ${JSON.stringify(narrow)}\n${remembering('string-width', '(text, options)', 'options !== undefined || ', 'narrowWidth(text) ?? ')}`
      : null,
}

const rememberedSanitizer = (): RememberedPlugin => {
  let sanitize = ''
  return {
    name: 'sanitizer-remembered',
    resolveId: (source, importer = '') => {
      if (source !== './sanitize-ansi.js' || !inInk.test(importer)) return null
      sanitize = join(dirname(importer), source)
      return clean
    },
    load: (id) => (id === clean ? remembering(sanitize, '(text)', '') : null),
  }
}

const changing = (name: string, change: (code: string, id: string) => string): RememberedPlugin => ({
  name,
  transform: (code, id) => {
    const changed = change(code, id)
    return changed === code ? null : changed
  },
})

/** A regular expression on a separate line, at the beginning of a module. */
const expression = /^const (\w+) = (\/.+\/[a-z]+);$/gm

const expressionMadeLate = (_: string, name: string, literal: string): string => `
let made_${name}
const ${name} = {
  get made() { return (made_${name} ??= ${literal}) },
  test(text) { return this.made.test(text) },
  [Symbol.search](text) { return text.search(this.made) },
  [Symbol.match](text) { return text.match(this.made) },
}
`

/** A segmenter for graphemes on a separate line. */
const segmenter = /^const (\w+) = new Intl\.Segmenter\((.*)\);$/gm

const segmenterMadeLate = (_: string, name: string, options: string): string => `
let made_${name}
const ${name} = { segment: (text) => (made_${name} ??= new Intl.Segmenter(${options})).segment(text) }
`

/** A function of a text with a cache of its results; bounded, because log lines arrive for days. */
const remembering = (module: string, parameters: string, unless: string, known = ''): string => `
import original from ${JSON.stringify(module)}
const known = new Map()
export default ${parameters} => {
  if (${unless}text.length > 300) return original${parameters}
  let result = known.get(text)
  if (result === undefined) {
    if (known.size >= 20_000) known.clear()
    result = ${known}original(text)
    known.set(text, result)
  }
  return result
}
`
