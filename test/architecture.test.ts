import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** DESIGN section 2: what each layer may import besides itself. A trailing `:types` allows its types alone. */
const mayImport: Readonly<Record<string, { layers: readonly string[]; packages: readonly string[]; builtins: boolean }>> = {
  domain: { layers: [], packages: [], builtins: false },
  db: { layers: ['domain'], packages: ['kysely', 'better-sqlite3'], builtins: true },
  operations: { layers: ['domain', 'db'], packages: ['zod', 'fastest-levenshtein'], builtins: true },
  agents: { layers: ['domain'], packages: ['yaml', 'zod'], builtins: true },
  memory: {
    layers: ['domain'],
    packages: ['yaml', 'zod', 'strip-json-comments', 'markdown-it'],
    builtins: true,
  },
  effects: {
    layers: ['domain', 'operations', 'agents', 'memory'],
    packages: ['execa', 'simple-git', 'yaml', 'zod', 'strip-json-comments', 'prom-client', 'fast-xml-builder'],
    builtins: true,
  },
  mcp: { layers: ['domain', 'operations', 'memory'], packages: ['@modelcontextprotocol/sdk', 'commander', 'zod'], builtins: true },
  cli: {
    layers: ['domain', 'operations', 'memory'],
    packages: ['@modelcontextprotocol/sdk', 'commander', 'yaml', 'string-width', 'zod:types'],
    builtins: true,
  },
  ui: {
    layers: ['domain', 'operations', 'components', 'text'],
    packages: ['diff', 'ink', 'react', 'zustand', 'string-width', 'zod:types'],
    builtins: true,
  },
  text: { layers: ['domain'], packages: [], builtins: false },
  components: { layers: ['domain:types', 'text'], packages: ['ink', 'react', 'ink-table', 'string-width', 'chalk'], builtins: false },
}

interface Import {
  readonly of: string
  readonly typeOnly: boolean
}

interface Source {
  /** Path from the root of the repository, with slashes. */
  readonly path: string
  readonly layer: string
  readonly text: string
  readonly imports: readonly Import[]
}

const isModule = (name: string): boolean => /\.tsx?$/.test(name)

const filesIn = (folder: string): readonly string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(isModule)
        .map((name) => join(folder, name).split(sep).join('/'))
    : []

const layerOf = (path: string): string => {
  const parts = path.split('/')
  if (parts[0] === 'components') return 'components'
  return parts.length > 2 ? parts[1]! : path
}

const importsOf = (path: string, text: string): readonly Import[] => {
  const imports: Import[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      imports.push({ of: node.moduleSpecifier.text, typeOnly: isTypeOnly(node.importClause) })
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      imports.push({ of: node.moduleSpecifier.text, typeOnly: node.isTypeOnly })
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
      imports.push({ of: node.argument.literal.text, typeOnly: true })
    } else if (ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require') && node.arguments[0]) {
      imports.push({ of: ts.isStringLiteralLike(node.arguments[0]) ? node.arguments[0].text : 'something computed', typeOnly: false })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS))
  return imports
}

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean => {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  return clause.name === undefined && named !== undefined && ts.isNamedImports(named) && named.elements.every((element) => element.isTypeOnly)
}

const read = (path: string): Source => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, layer: layerOf(path), text, imports: importsOf(path, text) }
}

const sources = [...filesIn('src'), ...filesIn('components')].map(read)
const builtins = new Set(builtinModules)

/** Why this import breaks the table; undefined where it does not. */
const whyForbidden = ({ path, layer }: Source, { of, typeOnly }: Import): string | undefined => {
  const rules = mayImport[layer]
  if (!rules) return undefined
  if (of.startsWith('.')) {
    const target = layerOf(
      relative(root, resolve(root, dirname(path), of))
        .split(sep)
        .join('/'),
    )
    // The brand of safe text is given by a function, which a component needs for its own words.
    if (layer === 'components' && of.endsWith('/src/domain/safe-text.ts')) return undefined
    const allowed = target === layer || rules.layers.includes(target) || (typeOnly && rules.layers.includes(`${target}:types`))
    return allowed ? undefined : `${path} imports ${of}`
  }
  if (of.startsWith('node:')) return rules.builtins ? undefined : `${path} imports ${of}`
  if (builtins.has(of)) return `${path} imports ${of} without node:`
  return rules.packages.some((name) => of === name || of.startsWith(`${name}/`) || (typeOnly && `${of}:types` === name)) ? undefined : `${path} imports ${of}`
}

/** Paths of the sources that match, apart from `except`. */
const where = (pattern: RegExp, except: (source: Source) => boolean = () => false): readonly string[] =>
  sources.filter((source) => !except(source) && pattern.test(code(source))).map((source) => source.path)

/** The text without comments, which may speak of anything. */
const code = ({ text }: Pick<Source, 'text'>): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')

/** True where the program itself ends the process; a program that it merely carries as text (the demo's) may. */
const endsProcess = ({ path, text }: Pick<Source, 'path' | 'text'>): boolean => {
  const visit = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'process' && ['exit', 'reallyExit', 'abort'].includes(node.name.text)) ||
    (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false)
  return visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
}

const importers = (name: string): readonly string[] =>
  sources.filter((source) => source.imports.some(({ of }) => of === name || of.startsWith(`${name}/`))).map((source) => source.path)

describe('the import table', () => {
  it('has a row for every folder of the program', () => {
    expect([...new Set(sources.map((source) => source.layer))].filter((layer) => layer !== 'src/main.ts' && !mayImport[layer])).toEqual([])
  })

  for (const layer of Object.keys(mayImport)) {
    it(`is kept by ${layer}`, () => {
      expect(sources.filter((source) => source.layer === layer).flatMap((source) => source.imports.flatMap((one) => whyForbidden(source, one) ?? []))).toEqual([])
    })
  }

  it('is broken by every kind of import that it forbids', () => {
    const forbidden = (path: string, text: string) => importsOf(path, text).flatMap((one) => whyForbidden({ path, layer: layerOf(path), text, imports: [] }, one) ?? [])
    expect(forbidden('src/domain/x.ts', "import { join } from 'node:path'")).toHaveLength(1)
    expect(forbidden('src/domain/x.ts', "import type { Db } from '../db/sqlite.ts'")).toHaveLength(1)
    expect(forbidden('src/domain/x.ts', "import { step } from './machine.ts'")).toEqual([])
    expect(forbidden('src/operations/kernel/x.ts', "export * from '../../effects/git.ts'")).toHaveLength(1)
    expect(forbidden('src/operations/kernel/x.ts', "const a = await import('execa')")).toHaveLength(1)
    expect(forbidden('src/operations/kernel/x.ts', "import { x } from '../../db/tasks.ts'\nimport { z } from 'zod'")).toEqual([])
    expect(forbidden('src/ui/x.ts', "type A = import('../db/open.ts').Store")).toHaveLength(1)
    expect(forbidden('components/X.tsx', "import type { TaskState } from '../src/domain/task.ts'")).toEqual([])
    expect(forbidden('components/X.tsx', "import { step } from '../src/domain/machine.ts'")).toHaveLength(1)
    expect(forbidden('components/X.tsx', "import { useStore } from 'zustand'")).toHaveLength(1)
    expect(forbidden('src/effects/x.ts', "import fs from 'fs'")).toHaveLength(1)
  })
})

describe('one place each', () => {
  it('only main.ts ends the process', () => {
    expect(sources.filter((source) => source.path !== 'src/main.ts' && endsProcess(source)).map((source) => source.path)).toEqual([])
    expect(endsProcess({ path: 'x.ts', text: 'const quit = () => process.exit(1)' })).toBe(true)
    expect(endsProcess({ path: 'x.ts', text: 'const program = `process.exit(1)` // process.exit' })).toBe(false)
  })

  it('only db speaks SQL', () => {
    expect(importers('kysely').filter((path) => !path.startsWith('src/db/'))).toEqual([])
    expect(importers('better-sqlite3').filter((path) => !path.startsWith('src/db/'))).toEqual([])
    expect(
      where(
        /\.(selectFrom|updateTable|insertInto|deleteFrom|executeQuery)\s*\(|\b(SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET)\b/,
        (source) => source.layer === 'db',
      ),
    ).toEqual([])
  })

  it('only effects/git.ts imports simple-git, and only effects/process.ts execa', () => {
    expect(importers('simple-git').filter((path) => path !== 'src/effects/git.ts')).toEqual([])
    expect(importers('execa').filter((path) => path !== 'src/effects/process.ts')).toEqual([])
  })

  it('only effects start programs', () => {
    expect(importers('node:child_process').filter((path) => !path.startsWith('src/effects/') && path !== 'src/main.ts')).toEqual([])
  })

  it('there is exactly one useInput, and it is in the console', () => {
    const uses = sources.flatMap((source) => [...code(source).matchAll(/\buseInput\s*\(/g)].map(() => source.path))
    const consoleStands = sources.some((source) => source.layer === 'ui' && source.imports.some(({ of }) => of === 'ink'))
    expect(uses.filter((path) => !path.startsWith('src/ui/'))).toEqual([])
    expect(uses).toHaveLength(consoleStands ? 1 : 0)
  })

  it('what the console knows is made without what it draws: the bench reads it as it is', () => {
    // Where a click meets the screen, it is measured against what is drawn.
    const drawing = (path: string): boolean => path.endsWith('.tsx') || path.startsWith('src/ui/terminal/')
    expect(where(/^import (?!type\b)[^;'"]*from '[^']*\.tsx'/m, ({ path }) => !path.startsWith('src/ui/') || drawing(path))).toEqual([])
  })

  it('components have no store, no input and no timers', () => {
    expect(where(/\b(useStore|createStore|useInput|setInterval|setTimeout|useSyncExternalStore)\b/, (source) => source.layer !== 'components')).toEqual([])
  })
})

it('no file of the program is longer than 250 lines', () => {
  expect(sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length })).filter(({ lines }) => lines > 250)).toEqual([])
})

it('no test is left out or preferred', () => {
  const left = [...filesIn('test'), ...filesIn('bench')].filter((path) =>
    /\b(it|test|describe|suite|bench)(\.\w+)*\.(only|skip|skipIf|runIf|todo|fails)\b|\b(xit|xdescribe|fit|fdescribe)\s*\(/.test(code(read(path))),
  )
  expect(left).toEqual([])
})

it('time, randomness and the environment come into domain from outside', () => {
  expect(where(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\./, (source) => source.layer !== 'domain')).toEqual([])
})
