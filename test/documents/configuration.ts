import { resolve } from 'node:path'
import ts from 'typescript'
import { Document, stringify, visit } from 'yaml'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { code, table } from './tables.ts'

// The configuration as a table and as a file: keys, types and meanings from the interface, defaults from its values.

const source = resolve(import.meta.dirname, '../../src/domain/settings/settings.ts')

export interface Setting {
  /** `worktrees.ports`; a name that a person chooses is written `NAME`. */
  readonly path: readonly string[]
  readonly value: string
  readonly standard: unknown
  readonly meaning: string
}

const program = ts.createProgram([source], {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ESNext,
})
const checker = program.getTypeChecker()

/** Every key of `.aiswarm/config.yaml` in the order of the interface. */
export const listSettings = (): readonly Setting[] => listTo(false)

/** As `listSettings`; with `sections`, a section whose names a person chooses is one setting. */
const listTo = (sections: boolean): readonly Setting[] => {
  const file = program.getSourceFile(source)!
  const declaration = file.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'Settings')!
  return settingsIn(checker.getTypeAtLocation(declaration), [], defaultSettings, sections)
}

const settingsIn = (
  type: ts.Type,
  above: readonly string[],
  defaults: unknown,
  sections: boolean,
): readonly Setting[] =>
  type.getProperties().flatMap((property): readonly Setting[] => {
    const path = [...above, property.name]
    const standard = (defaults as Readonly<Record<string, unknown>> | undefined)?.[property.name]
    const inner = checker.getNonNullableType(checker.getTypeOfSymbol(property))
    const tag = property.getJsDocTags(checker).find(({ name }) => name === 'value')
    const own: Setting = {
      path,
      value: tag ? ts.displayPartsToString(tag.text) : isLeaf(inner) ? valueOf(inner) : '',
      standard,
      meaning: ts.displayPartsToString(property.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim(),
    }
    if (isHooks(path))
      return inner
        .getProperties()
        .map(({ name }) => ({ ...own, path: [...path, name], value: 'hook or list of hooks', standard: [] }))
    if (tag || isLeaf(inner)) return [own]
    const named = inner.getStringIndexType()
    if (!named) return settingsIn(inner, path, standard, sections)
    if (sections) return [{ ...own, value: 'section' }]
    return isLeaf(named)
      ? [{ ...own, path: [...path, 'NAME'], value: valueOf(named) }]
      : settingsIn(named, [...path, 'NAME'], undefined, sections)
  })

const isHooks = (path: readonly string[]): boolean => path.length === 1 && path[0] === 'on'

const isLeaf = (type: ts.Type): boolean => checker.isArrayLikeType(type) || !(type.flags & ts.TypeFlags.Object)

const valueOf = (type: ts.Type): string => {
  if (checker.isArrayLikeType(type)) {
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number)!
    return element.isUnion() ? `list of ${literals(element)}` : 'list of texts'
  }
  const base = { [ts.TypeFlags.String]: 'text', [ts.TypeFlags.Number]: 'number' }[
    type.flags & (ts.TypeFlags.String | ts.TypeFlags.Number)
  ]
  if (base !== undefined) return base
  if (type.flags & ts.TypeFlags.BooleanLike) return 'true, false'
  if (type.isUnion()) return literals(type)
  throw new Error(`No word for the type ${checker.typeToString(type)}`)
}

const literals = (type: ts.UnionType): string =>
  type.types.map((one) => (one.isStringLiteral() ? one.value : checker.typeToString(one))).join(', ')

/** A value as the file contains it. */
const written = ({ value, standard }: Setting): unknown => {
  if (typeof standard !== 'number') return standard
  if (value === 'duration') return inUnits(standard, [86_400_000, 'd'], [60_000, 'm'], [1000, 's'])
  return value === 'size' ? inUnits(standard, [1024 ** 3, 'GB'], [1024 ** 2, 'MB'], [1024, 'KB']) : standard
}

const inUnits = (amount: number, ...units: readonly (readonly [number, string])[]): string => {
  const [unit, name] = units.find(([size]) => amount % size === 0)!
  return `${amount / unit}${name}`
}

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()

/** The defaults of entries that a person names; all others are values of `defaultSettings`. */
const standardOf = (setting: Setting): string => {
  const named = setting.path.includes('NAME')
  if (named && setting.path[0] !== 'memory') return '–'
  return setting.path[0] === 'memory' ? 'see above' : code(flow(written(setting)))
}

export const configurationTable = (): string =>
  table(
    ['key', 'value', 'default', 'meaning'],
    listSettings().map((setting) => [
      code(setting.path.join('.')),
      setting.value,
      standardOf(setting),
      setting.meaning,
    ]),
  )

/** The settings for the console, as a module. */
export const catalogueModule = (): string =>
  [
    "// Written by 'npm run docs' from the comments of src/domain/settings.",
    '',
    'export interface CataloguedSetting {',
    '  readonly key: string',
    '  /** Its type, or its values. */',
    '  readonly value: string',
    '  /** The default as the file has it. */',
    '  readonly standard: string',
    '  readonly meaning: string',
    '}',
    '',
    '// prettier-ignore',
    'export const catalogue: readonly CataloguedSetting[] = [',
    ...listTo(true).map(
      (setting) =>
        `  { key: '${setting.path.join('.')}', value: '${setting.value}', standard: ${quoted(flow(written(setting)))}, meaning: ${quoted(setting.meaning)} },`,
    ),
    ']',
    '',
  ].join('\n')

const quoted = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`

/** The whole configuration with its defaults, as a file. */
export const defaultsFile = (): string => {
  const root: Record<string, unknown> = {}
  // A text that is null by default cannot be written in the file.
  for (const setting of listSettings().filter(({ value, standard }) => value !== 'text' || standard !== null)) {
    const name = setting.path.indexOf('NAME')
    const path = name === -1 ? setting.path : setting.path.slice(0, name)
    let at = root
    for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>
    at[path.at(-1)!] ??= name === -1 ? written(setting) : (setting.standard ?? {})
  }
  const document = new Document(root)
  visit(document, { Seq: (_, list) => void (list.flow = true) })
  return `\`\`\`yaml\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}\`\`\``
}
