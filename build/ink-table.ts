import { readFile } from 'node:fs/promises'

/** The part of a Vite or Rolldown plugin that this file needs; both accept it. */
export interface InkTablePlugin {
  readonly name: string
  readonly enforce: 'pre'
  load(id: string): Promise<{ code: string; moduleSideEffects: boolean } | null>
}

const source = /[\\/]ink-table[\\/]dist[\\/]index\.js(?:\?.*)?$/

/**
 * ink-table 3.1 is CommonJS and requires ink, which has had a top-level await since version 4, so it can no longer be
 * required (`ERR_REQUIRE_ASYNC_MODULE`). Bundler and tests get the same file with imports in place of `require`, and
 * without object-hash, which only the frame needs that components/Table.tsx does not draw.
 */
export const inkTable = (): InkTablePlugin => ({
  name: 'ink-table-as-module',
  enforce: 'pre',
  load: async (id) => {
    if (!source.test(id)) return null
    return { code: asModule(await readFile(id.replace(/\?.*$/, ''), 'utf8')), moduleSideEffects: false }
  },
})

const asModule = (commonjs: string): string => `
import * as react from 'react'
import * as ink from 'ink'
const modules = { react: react.default ?? react, ink, 'object-hash': {} }
const exported = {}
;(function (exports, require) {
${commonjs.replace(/^\/\/# sourceMappingURL=.*$/m, '')}
})(exported, (name) => modules[name])
export default exported.default
`
