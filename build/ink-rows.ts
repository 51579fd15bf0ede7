import { fileURLToPath } from 'node:url'

/** The part of a Rolldown plugin that this file needs. */
export interface KeptRowsPlugin {
  readonly name: string
  resolveId(source: string, importer: string | undefined): string | null
  load(id: string): string | null
}

const kept = '\0ink-output-that-keeps-rows'
const renderer = /[\\/]ink[\\/]build[\\/]renderer\.js$/

/** In the bundle, Ink's renderer draws its frames with `keepingRows`. */
export const keptRows = (): KeptRowsPlugin => {
  let original = ''
  return {
    name: 'ink-output-that-keeps-rows',
    resolveId: (source, importer) => {
      if (source !== './output.js' || importer === undefined || !renderer.test(importer)) return null
      original = importer.replace(renderer, '/ink/build/output.js')
      return kept
    },
    load: (id) => {
      if (id !== kept) return null
      const ours = fileURLToPath(new URL('../src/ui/frames/kept-rows.ts', import.meta.url))
      return `import Output from ${JSON.stringify(original)}\nimport { keepingRows } from ${JSON.stringify(ours)}\nexport default keepingRows(Output)\n`
    },
  }
}
