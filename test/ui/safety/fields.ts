import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

// The fields of the screen by the types of the components' props: every place that can contain a text.

const root = resolve(import.meta.dirname, '../../..')

export interface Fields {
  /** Places of type SafeText, such as `Board.rows[].title`. */
  readonly safe: readonly string[]
  /** Places that accept any text. */
  readonly plain: readonly string[]
}

/** Reads the props of every component that a file of this folder exports, from the current sources. */
export const fieldsOf = (folder: string): Fields => {
  const files = sourcesIn(folder)
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX,
  }
  const program = ts.createProgram([...files], {
    ...options,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const found: Found = { safe: new Set(), plain: new Set() }
  for (const file of files) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
    for (const symbol of checker.getExportsOfModule(module)) {
      const declaration = symbol.valueDeclaration
      const props =
        declaration && /^[A-Z]/.test(symbol.name) ? propsOf(checker, checker.getTypeOfSymbol(symbol)) : undefined
      if (props) walk(checker, props, symbol.name, { ...found, at: declaration!, above: [] })
    }
  }
  return { safe: [...found.safe].sort(), plain: [...found.plain].sort() }
}

/** Texts in the markup of these files, and imported names that draw text themselves. */
export const drawnIn = (folder: string): readonly string[] =>
  sourcesIn(folder).flatMap((file) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(file, 'utf8'),
      ts.ScriptTarget.ES2023,
      true,
      ts.ScriptKind.TSX,
    )
    const found: string[] = []
    const look = (node: ts.Node): void => {
      if (ts.isJsxText(node) && node.text.trim() !== '') found.push(node.text.trim())
      if (
        ts.isImportSpecifier(node) &&
        ['Text', 'Paint', 'Transform', 'Static'].includes((node.propertyName ?? node.name).getText())
      )
        found.push(node.getText())
      ts.forEachChild(node, look)
    }
    look(source)
    return found.map((what) => `${relative(root, file)}: ${what}`)
  })

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => join(root, folder, name))

/** The type of the first parameter of a function that returns elements; undefined for anything else. */
const propsOf = (checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined => {
  const [signature] = type.getCallSignatures()
  const [props] = signature?.getParameters() ?? []
  if (!signature || !props || !/Element|ReactNode|null/.test(checker.typeToString(signature.getReturnType())))
    return undefined
  return checker.getTypeOfSymbol(props)
}

interface Found {
  readonly safe: Set<string>
  readonly plain: Set<string>
}

interface Walk extends Found {
  readonly at: ts.Node
  readonly above: readonly ts.Type[]
}

const walk = (checker: ts.TypeChecker, type: ts.Type, path: string, into: Walk): void => {
  if (isSafe(checker, type)) return void into.safe.add(path)
  if (type.isUnion()) return isElements(type) ? undefined : type.types.forEach((one) => walk(checker, one, path, into))
  // Any text, or an unknown type.
  if (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.Any | ts.TypeFlags.Unknown))
    return void into.plain.add(path)
  if (type.flags & ts.TypeFlags.TypeParameter)
    return walk(checker, type.getConstraint() ?? checker.getUnknownType(), path, into)
  if ((!(type.flags & ts.TypeFlags.Object) && !type.isIntersection()) || into.above.includes(type)) return
  const deeper = { ...into, above: [...into.above, type] }
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker
      .getTypeArguments(type as ts.TypeReference)
      .forEach((item) => walk(checker, item, `${path}[]`, deeper))
  for (const { type: value } of checker.getIndexInfosOfType(type)) walk(checker, value, `${path}{}`, deeper)
  for (const property of checker.getPropertiesOfType(type)) {
    const of = checker.getTypeOfSymbolAtLocation(property, into.at)
    if (of.getCallSignatures().length === 0) walk(checker, of, `${path}.${property.name}`, deeper)
  }
}

/** ReactNode: its content is made by other components. */
const isElements = (type: ts.UnionType): boolean => type.types.some((one) => one.symbol?.name === 'ReactPortal')

/** A string with the brand of safe-text.ts. */
const isSafe = (checker: ts.TypeChecker, type: ts.Type): boolean =>
  type.aliasSymbol?.name === 'SafeText' ||
  (type.isIntersection() &&
    type.types.some((one) => Boolean(one.flags & ts.TypeFlags.String)) &&
    checker.getPropertiesOfType(type).some((property) => property.escapedName.toString().startsWith('__@safe')))
