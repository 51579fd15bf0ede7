import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/**
 * The names that the first file imports from node: all of them must exist in node 20, or that node fails before the
 * program's own message.
 */
const known = [
  'appendFileSync',
  'basename',
  'constants',
  'dirname',
  'existsSync',
  'fileURLToPath',
  'join',
  'readFileSync',
  'spawn',
]

it('an old node can load the first file, which starts the pinned node or prints what is needed', () => {
  const main = readFileSync(new URL('../../dist/main.js', import.meta.url), 'utf8')
  const named = [...main.matchAll(/^import \{([^}]*)\} from "node:[^"]+";$/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(' ')[0]!),
  )
  expect(named.filter((name) => !known.includes(name))).toEqual([])
  expect(main.match(/^import .* from "(?!node:)[^"]+";$/gm) ?? []).toEqual([])
})
