import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { droppedAnswers } from './architecture/answers.ts'
import { unusedExports } from './architecture/exports.ts'
import {
  againstLine,
  arrowsOf,
  backwardRows,
  circles,
  isExcepted,
  unneeded,
  unusedRows,
  withoutRow,
} from './architecture/folders.ts'
import { longFunctions } from './architecture/functions.ts'
import {
  filesIn,
  type Import,
  importedPath,
  importsOf,
  layerOf,
  root,
  type Source,
  sources,
  users,
} from './architecture/sources.ts'
import { layers } from './architecture/tables/index.ts'

/** The layers and packages that each layer may import. A trailing `:types` allows only its types. */
const mayImport: Readonly<
  Record<string, { layers: readonly string[]; packages: readonly string[]; builtins: boolean }>
> = {
  domain: { layers: [], packages: [], builtins: false },
  db: { layers: ['domain', 'contracts:types'], packages: ['kysely', 'better-sqlite3', 'pg', 'pgpass'], builtins: true },
  // The contracts between layers: types only.
  contracts: { layers: ['domain:types'], packages: [], builtins: false },
  operations: { layers: ['domain', 'db', 'contracts:types'], packages: ['zod', 'fastest-levenshtein'], builtins: true },
  // Only the types of the SDK: its code would be in the relay of every agent.
  agents: { layers: ['domain'], packages: ['@agentclientprotocol/sdk:types'], builtins: true },
  memory: {
    layers: ['domain'],
    packages: ['zod', 'strip-json-comments', 'markdown-it'],
    builtins: true,
  },
  effects: {
    layers: ['domain', 'contracts:types', 'operations', 'agents', 'memory'],
    packages: ['execa', 'simple-git', 'yaml', 'zod', 'strip-json-comments', 'prom-client', 'fast-xml-builder'],
    builtins: true,
  },
  mcp: {
    layers: ['domain', 'contracts:types', 'operations', 'memory'],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
    builtins: true,
  },
  cli: {
    layers: ['domain', 'contracts:types', 'operations', 'memory'],
    packages: ['commander', '@clack/prompts', 'yaml', 'string-width', 'zod'],
    builtins: true,
  },
  ui: {
    layers: ['domain', 'contracts:types', 'operations', 'components', 'text'],
    packages: ['diff', 'highlight.js', 'ink', 'lowlight', 'react', 'zustand'],
    builtins: true,
  },
  text: { layers: ['domain'], packages: [], builtins: false },
  // The parts of main.ts: they pass the outside to the surfaces.
  composition: {
    layers: ['domain', 'db', 'contracts:types', 'operations:types', 'memory', 'effects', 'mcp', 'cli', 'ui'],
    packages: [],
    builtins: true,
  },
  components: {
    layers: ['domain:types', 'text'],
    packages: ['ink', 'react', 'ink-table', 'string-width', 'chalk'],
    builtins: false,
  },
}

const builtins = new Set(builtinModules)

/** The reason why this import breaks the table, or undefined. */
const whyForbidden = ({ path, layer }: Source, { of, typeOnly }: Import): string | undefined => {
  const rules = mayImport[layer]
  if (!rules) return undefined
  if (of.startsWith('.')) {
    const target = layerOf(importedPath(path, of))
    // The brand of safe text is given by a function, which a component needs for its own words.
    if (layer === 'components' && of.endsWith('/src/domain/words/safe-text.ts')) return undefined
    const allowed =
      target === layer || rules.layers.includes(target) || (typeOnly && rules.layers.includes(`${target}:types`))
    return allowed ? undefined : `${path} imports ${of}`
  }
  if (of.startsWith('node:')) return rules.builtins ? undefined : `${path} imports ${of}`
  if (builtins.has(of)) return `${path} imports ${of} without node:`
  return rules.packages.some((name) => of === name || of.startsWith(`${name}/`) || (typeOnly && `${of}:types` === name))
    ? undefined
    : `${path} imports ${of}`
}

/** The paths of the sources that match, except those in `except`. */
const where = (pattern: RegExp, except: (source: Source) => boolean = () => false): readonly string[] =>
  sources.filter((source) => !except(source) && isInCode(pattern, source.text)).map((source) => source.path)

/** Most files do not contain the pattern at all; only the others are freed of their comments. */
const isInCode = (pattern: RegExp, text: string): boolean => pattern.test(text) && pattern.test(code({ text }))

/** The text without comments, which may mention anything. */
const code = ({ text }: Pick<Source, 'text'>): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')

/** True if the program itself ends the process. A program that it only carries as text (the demo's) may end one. */
const endsProcess = ({ path, text }: Pick<Source, 'path' | 'text'>): boolean => {
  const visit = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) &&
      node.expression.getText() === 'process' &&
      ['exit', 'reallyExit', 'abort'].includes(node.name.text)) ||
    (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false)
  return (
    /process[\s?.]+(?:exit|reallyExit|abort)\b/.test(text) &&
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  )
}

const importers = (name: string): readonly string[] =>
  sources
    .filter((source) => source.imports.some(({ of }) => of === name || of.startsWith(`${name}/`)))
    .map((source) => source.path)

describe('the import table', () => {
  it('has a row for every folder of the program', () => {
    expect(
      [...new Set(sources.map((source) => source.layer))].filter(
        (layer) => layer !== 'src/main.ts' && !mayImport[layer],
      ),
    ).toEqual([])
  })

  it('has the rules of the folders inside each layer', () => {
    const all = Object.keys(mayImport).map((layer) => (layer === 'components' ? layer : `src/${layer}`))
    expect(
      Object.keys(layers)
        .filter((layer) => layers[layer]!.folders)
        .toSorted(),
    ).toEqual(all.toSorted())
  })

  for (const layer of Object.keys(mayImport)) {
    it(`is obeyed by ${layer}`, () => {
      expect(
        sources
          .filter((source) => source.layer === layer)
          .flatMap((source) => source.imports.flatMap((one) => whyForbidden(source, one) ?? [])),
      ).toEqual([])
    })
  }

  it('allows nothing that no file uses', () => {
    const used = (layer: string, permission: string): boolean =>
      sources.some(
        (source) =>
          source.layer === layer &&
          source.imports.some((one) => {
            const of = one.of.startsWith('.') ? layerOf(importedPath(source.path, one.of)) : one.of
            return permission.endsWith(':types')
              ? one.typeOnly && `${of}:types` === permission
              : !one.typeOnly && (of === permission || of.startsWith(`${permission}/`))
          }),
      )
    const usesBuiltins = (layer: string): boolean =>
      sources.some((source) => source.layer === layer && source.imports.some(({ of }) => of.startsWith('node:')))
    expect(
      Object.entries(mayImport).flatMap(([layer, { layers: others, packages, builtins: allowed }]) => [
        ...[...others, ...packages]
          .filter((permission) => !used(layer, permission))
          .map((permission) => `${layer}: ${permission}`),
        ...(allowed && !usesBuiltins(layer) ? [`${layer}: built-in modules`] : []),
      ]),
    ).toEqual([])
  })

  it('has no way from a layer back to itself', () => {
    const below = (layer: string): readonly string[] =>
      (mayImport[layer]?.layers ?? []).map((permission) => permission.replace(/:types$/, ''))
    const reached = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const layer of below(from)) if (!seen.has(layer)) reached(layer, seen.add(layer))
      return seen
    }
    expect(Object.keys(mayImport).filter((layer) => reached(layer).has(layer))).toEqual([])
  })

  it('allows only types in the contracts', () => {
    expect(
      sources
        .filter(({ layer, text }) => layer === 'contracts' && /^export (?!type\b|interface\b)/m.test(text))
        .map(({ path }) => path),
    ).toEqual([])
  })

  it('has no circle among the contracts', () => {
    expect(circles(arrowsOf('src/contracts', sources))).toEqual([])
  })

  it('forbids every kind of import', () => {
    const forbidden = (path: string, text: string) =>
      importsOf(path, text).flatMap((one) => whyForbidden({ path, layer: layerOf(path), text, imports: [] }, one) ?? [])
    expect(forbidden('src/domain/x.ts', "import { join } from 'node:path'")).toHaveLength(1)
    expect(forbidden('src/domain/x.ts', "import type { Db } from '../db/sqlite.ts'")).toHaveLength(1)
    expect(forbidden('src/domain/x.ts', "import { step } from './machine.ts'")).toEqual([])
    expect(forbidden('src/operations/perform/x.ts', "export * from '../../effects/git.ts'")).toHaveLength(1)
    expect(forbidden('src/operations/perform/x.ts', "const a = await import('execa')")).toHaveLength(1)
    expect(
      forbidden('src/operations/perform/x.ts', "import { x } from '../../db/tasks.ts'\nimport { z } from 'zod'"),
    ).toEqual([])
    expect(forbidden('src/ui/x.ts', "type A = import('../db/open.ts').Store")).toHaveLength(1)
    expect(forbidden('components/X.tsx', "import type { TaskState } from '../src/domain/task/task.ts'")).toEqual([])
    expect(forbidden('components/X.tsx', "import { step } from '../src/domain/rules/machine.ts'")).toHaveLength(1)
    expect(forbidden('components/X.tsx', "import { useStore } from 'zustand'")).toHaveLength(1)
    expect(forbidden('src/effects/x.ts', "import fs from 'fs'")).toHaveLength(1)
  })
})

for (const [layer, rules] of Object.entries(layers)) {
  const { folders, longFunctions: long = {} } = rules
  const inside = sources.filter(({ path }) => path.startsWith(`${layer}/`))

  if (folders) {
    describe(`the folders of ${layer}`, () => {
      const arrows = arrowsOf(layer, sources)

      it('each have a row', () => {
        expect(withoutRow(folders, sources)).toEqual([])
      })

      it('form a line', () => {
        expect(backwardRows(folders)).toEqual([])
        expect(unusedRows(folders, sources)).toEqual([])
      })

      it('import values only from the folders that their row names', () => {
        const against = againstLine(folders, sources)
        expect(
          against.filter((arrow) => !isExcepted(arrow, folders.exceptions)).map(({ from, to }) => `${from} → ${to}`),
        ).toEqual([])
        expect(unneeded(folders.exceptions, against)).toEqual([])
      })

      it('have no circle of files', () => {
        expect(circles(arrows.filter(({ typeOnly }) => !typeOnly))).toEqual([])
        expect(circles(arrows.filter((arrow) => !isExcepted(arrow, folders.typeCircles)))).toEqual([])
        expect(unneeded(folders.typeCircles, arrows)).toEqual([])
      })
    })
  }

  it(`a function of ${layer} is longer than 60 lines only with a reason`, () => {
    expect(longFunctions(inside).toSorted()).toEqual(Object.keys(long).toSorted())
  })

  it(`a value of ${layer} is exported only if another module or a test imports it`, () => {
    expect(unusedExports(inside, [...sources, ...users])).toEqual([])
  })
}

describe('the rules inside a layer', () => {
  const file = (path: string, text: string): Source => ({
    path,
    layer: layerOf(path),
    text,
    imports: importsOf(path, text),
  })
  const table = { layer: 'src/ui', folders: { core: [], 'views/*': ['core'], '.': ['views/*'] } }

  it('find a folder that imports from a later one or from its sibling', () => {
    const against = (path: string, text: string) => againstLine(table, [file(path, text)])
    expect(against('src/ui/core/a.ts', "import { b } from '../views/radar/b.ts'")).toHaveLength(1)
    expect(against('src/ui/core/a.ts', "import type { B } from '../views/radar/b.ts'")).toEqual([])
    expect(against('src/ui/views/radar/a.ts', "import { b } from '../guard/b.ts'")).toHaveLength(1)
    expect(
      against('src/ui/views/radar/a.ts', "import { b } from './parts/b.ts'\nimport { c } from '../../core/c.ts'"),
    ).toEqual([])
    expect(against('src/ui/console.ts', "import { b } from './views/radar/b.ts'")).toEqual([])
  })

  it('find a table that is not a line, an unused permission, and a folder without a row', () => {
    expect(backwardRows({ layer: 'src/ui', folders: { core: ['keys'], keys: [] } })).toEqual(['core names keys'])
    expect(unusedRows(table, [file('src/ui/a.ts', "import { b } from './views/radar/b.ts'")])).toEqual([
      'views/* names core',
    ])
    expect(
      withoutRow({ layer: 'src/ui', folders: { core: [] } }, [
        file('src/ui/keys/a.ts', ''),
        file('src/ui/core/deep/a.ts', ''),
      ]),
    ).toEqual(['src/ui/keys/a.ts'])
  })

  it('find circles, and unnecessary exceptions', () => {
    const arrow = (from: string, to: string) => ({ from, to, typeOnly: false })
    expect(circles([arrow('a', 'b'), arrow('b', 'c'), arrow('c', 'a'), arrow('c', 'd')])).toEqual([['a', 'b', 'c']])
    expect(circles([arrow('a', 'b'), arrow('a', 'c'), arrow('b', 'c')])).toEqual([])
    expect(unneeded([{ from: 'a', to: 'b', because: '' }], [arrow('a', 'c')])).toEqual(['a → b'])
    expect(isExcepted(arrow('x/a.ts', 'y/b.ts'), [{ from: 'x/', to: 'y/b.ts', because: '' }])).toBe(true)
  })

  it('find a long function without a reason', () => {
    const body = '\n  one()'.repeat(60)
    expect(longFunctions([{ path: 'a.ts', text: `export const long = () => {${body}\n}` }])).toEqual(['a.ts long'])
    expect(
      longFunctions([
        { path: 'a.ts', text: `export const long = () => {\n  // In one piece because it is a list.${body}\n}` },
      ]),
    ).toEqual([])
    expect(
      longFunctions([{ path: 'a.ts', text: `export const table = [${body.replaceAll('()', '(() => 1),')}\n]` }]),
    ).toEqual([])
  })

  it('find an answer that is thrown away', () => {
    const db = file('src/db/a.ts', 'export const change = async (): Promise<boolean> => true')
    const dropped = (text: string) =>
      droppedAnswers([db], [file('src/operations/b.ts', `import { change } from '../db/a.ts'\n${text}`)])
    for (const text of [
      'await change()',
      'if (a) await change()',
      'a && (await change())',
      'void change()',
      'await Promise.all([change(), other()])',
      'await Promise.all(list.map((one) => change(one)))',
    ])
      expect([text, dropped(text)]).toEqual([text, ['src/operations/b.ts change']])
    for (const text of [
      'must(await change(), a)',
      'if (await change()) other()',
      'const x = await change()',
      'const x = () => change()',
      'other(await Promise.all(list.map((one) => change(one))))',
      'await other()',
    ])
      expect([text, dropped(text)]).toEqual([text, []])
  })

  it('find an exported value that no module imports', () => {
    const unused = (text: string) =>
      unusedExports(
        [file('src/ui/a.ts', "export const one = 1\nexport type Two = 2\nexport { three } from './b.ts'")],
        [file('src/ui/c.ts', text)],
      )
    expect(unused('')).toEqual(['src/ui/a.ts one', 'src/ui/a.ts three'])
    expect(unused("import { one as first, type Two } from './a.ts'\nexport { three } from './a.ts'")).toEqual([])
    expect(unused("import type { one } from './a.ts'\nimport { three } from './a.ts'")).toEqual(['src/ui/a.ts one'])
    expect(unused("const all = await import('./a.ts')")).toEqual([])
    for (const text of [
      "const { one } = await import('./a.ts')",
      "const [, { one }] = await Promise.all([other(), import('./a.ts')])",
      "import('./a.ts').then(({ one }) => one)",
      "(await import('./a.ts')).one",
    ])
      expect([text, unused(text)]).toEqual([text, ['src/ui/a.ts three']])
    expect(
      unusedExports(
        [file('src/ui/a.ts', 'export class One {}\nexport class Two {}')],
        [file('src/ui/c.ts', "import type { One } from './a.ts'")],
      ),
    ).toEqual(['src/ui/a.ts Two'])
  })
})

describe('the repository', () => {
  it('ends the process only in main.ts', () => {
    expect(
      sources.filter((source) => source.path !== 'src/main.ts' && endsProcess(source)).map((source) => source.path),
    ).toEqual([])
    expect(endsProcess({ path: 'x.ts', text: 'const quit = () => process.exit(1)' })).toBe(true)
    expect(endsProcess({ path: 'x.ts', text: 'const program = `process.exit(1)` // process.exit' })).toBe(false)
  })

  it('looks at the answer of every compare-and-set', () => {
    const of = (layer: string) => sources.filter((source) => source.layer === layer)
    expect(droppedAnswers(of('db'), [...of('db'), ...of('operations')])).toEqual([])
  })

  it('contains SQL only in db', () => {
    expect(importers('kysely').filter((path) => !path.startsWith('src/db/'))).toEqual([])
    expect(importers('pg').filter((path) => !path.startsWith('src/db/postgres/'))).toEqual([])
    expect(importers('better-sqlite3').filter((path) => !path.startsWith('src/db/'))).toEqual([])
    expect(
      where(
        /\.(selectFrom|updateTable|insertInto|deleteFrom|executeQuery)\s*\(|\b(SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET)\b/,
        (source) => source.layer === 'db',
      ),
    ).toEqual([])
  })

  it('has the words of one engine only in the folders of engines and of the copy between them', () => {
    const ofOneEngine =
      /\b(unixepoch|strftime|julianday|datetime|iif|greatest|least|(group_concat|string_agg|array_agg)|json_(extract|valid|type|each|set))\s*\(|extract\s*\(\s*epoch|\b(GLOB|ILIKE|MATCH|PRAGMA|SKIP LOCKED|INSERT OR)\b|\bFOR (NO KEY )?UPDATE\b|\b(sqlite|pg)_\w+|\)::\w+|\bcurrent_schema\b/
    const engines = /^src\/db\/((engine|sqlite|postgres)\/|copy\.ts)/
    expect(where(ofOneEngine, ({ path, layer }) => layer !== 'db' || engines.test(path))).toEqual([])
    for (const line of ['iif(a, b, c)', "a GLOB 'b*'", "json_extract(a, '$.b')", '(a)::text', 'SELECT pg_notify()'])
      expect(line).toMatch(ofOneEngine)
  })

  it('imports simple-git only in git.ts, and execa only in process.ts', () => {
    expect(importers('simple-git').filter((path) => path !== 'src/effects/git/git.ts')).toEqual([])
    expect(importers('execa').filter((path) => path !== 'src/effects/processes/process.ts')).toEqual([])
  })

  it('starts programs only in effects', () => {
    expect(
      importers('node:child_process').filter((path) => !path.startsWith('src/effects/') && path !== 'src/main.ts'),
    ).toEqual([])
  })

  it('calls useInput exactly once, in the console', () => {
    const uses = sources.flatMap((source) => [...code(source).matchAll(/\buseInput\s*\(/g)].map(() => source.path))
    const consoleStands = sources.some(
      (source) => source.layer === 'ui' && source.imports.some(({ of }) => of === 'ink'),
    )
    expect(uses.filter((path) => !path.startsWith('src/ui/'))).toEqual([])
    expect(uses).toHaveLength(consoleStands ? 1 : 0)
  })

  it('builds the state of the console without importing what draws it, so that the bench can use it', () => {
    // A click is measured against what is drawn.
    const drawing = (path: string): boolean => path.endsWith('.tsx') || path === 'src/ui/mouse.ts'
    expect(
      where(/^import (?!type\b)[^;'"]*from '[^']*\.tsx'/m, ({ path }) => !path.startsWith('src/ui/') || drawing(path)),
    ).toEqual([])
  })

  it('compares the kinds of views only in the views, and in the actions that open them', () => {
    const comparison = /\b(overlay|front|now)\??\.kind\s*[!=]==/
    expect(
      where(comparison, ({ path }) => !path.startsWith('src/ui/') || /^src\/ui\/(views|actions)\//.test(path)),
    ).toEqual([])
    for (const line of ["overlay?.kind === 'detail'", "front.kind !== 'approval'"]) expect(line).toMatch(comparison)
  })

  it('has no store, no input and no timer in a component', () => {
    expect(
      where(
        /\b(useStore|createStore|useInput|setInterval|setTimeout|useSyncExternalStore)\b/,
        (source) => source.layer !== 'components',
      ),
    ).toEqual([])
  })
})

it('no test is skipped or focused', () => {
  const left = [...filesIn('test'), ...filesIn('bench')].filter((path) =>
    isInCode(
      /\b(it|test|describe|suite|bench)(\.\w+)*\.(only|skip|skipIf|runIf|todo|fails)\b|\b(xit|xdescribe|fit|fdescribe)\s*\(/,
      readFileSync(join(root, path), 'utf8'),
    ),
  )
  expect(left).toEqual([])
})

it('time, randomness and the environment come into domain from outside', () => {
  expect(
    where(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\./, (source) => source.layer !== 'domain'),
  ).toEqual([])
})
