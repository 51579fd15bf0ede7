import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ts from 'typescript'

export const root = resolve(import.meta.dirname, '../..')

export interface Import {
  readonly of: string
  readonly typeOnly: boolean
  /** Names of values that are imported; `*` where all of them may be used. */
  readonly names: readonly string[]
  /** Names that are imported as types: a class may be. */
  readonly types?: readonly string[]
}

export interface Source {
  /** Path from the root of the repository, with slashes. */
  readonly path: string
  readonly layer: string
  readonly text: string
  readonly imports: readonly Import[]
}

const isModule = (name: string): boolean => /\.tsx?$/.test(name)

export const filesIn = (folder: string): readonly string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(isModule)
        .map((name) => join(folder, name).split(sep).join('/'))
    : []

export const layerOf = (path: string): string => {
  const parts = path.split('/')
  if (parts[0] === 'components') return 'components'
  return parts.length > 2 ? parts[1]! : path
}

export const parse = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )

export const importsOf = (path: string, text: string): readonly Import[] => {
  const imports: Import[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      imports.push({
        of: node.moduleSpecifier.text,
        typeOnly: isTypeOnly(node.importClause),
        names: namesOf(node.importClause),
        types: typesOf(node.importClause),
      })
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      imports.push({
        of: node.moduleSpecifier.text,
        typeOnly: node.isTypeOnly,
        names: node.isTypeOnly ? [] : namesAgain(node.exportClause),
      })
    } else if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    ) {
      imports.push({ of: node.argument.literal.text, typeOnly: true, names: [] })
    } else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require') &&
      node.arguments[0]
    ) {
      imports.push({
        of: ts.isStringLiteralLike(node.arguments[0]) ? node.arguments[0].text : 'something computed',
        typeOnly: false,
        names: namesLoaded(node) ?? ['*'],
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(path, text))
  return imports
}

/** The values that are used of a module imported while the program runs; undefined if all of them may be. */
const namesLoaded = (call: ts.CallExpression): readonly string[] | undefined => {
  const { parent } = call
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === 'then' && ts.isCallExpression(parent.parent)) {
    const [then] = parent.parent.arguments
    return then && ts.isArrowFunction(then) ? namesBound(then.parameters[0]?.name) : undefined
  }
  if (ts.isAwaitExpression(parent)) {
    const whole = ts.isParenthesizedExpression(parent.parent) ? parent.parent : parent
    if (ts.isPropertyAccessExpression(whole.parent)) return [whole.parent.name.text]
    return ts.isVariableDeclaration(whole.parent) ? namesBound(whole.parent.name) : undefined
  }
  // const [{ a }, { b }] = await Promise.all([import('./a.ts'), import('./b.ts')])
  const declared = parent.parent?.parent?.parent
  return ts.isArrayLiteralExpression(parent) &&
    ts.isAwaitExpression(parent.parent.parent) &&
    declared &&
    ts.isVariableDeclaration(declared) &&
    ts.isArrayBindingPattern(declared.name)
    ? namesOfElement(declared.name.elements[parent.elements.indexOf(call)])
    : undefined
}

const namesOfElement = (element: ts.ArrayBindingElement | undefined): readonly string[] | undefined =>
  element && ts.isBindingElement(element) ? namesBound(element.name) : undefined

const namesBound = (name: ts.BindingName | undefined): readonly string[] | undefined =>
  name && ts.isObjectBindingPattern(name) && name.elements.every((one) => !one.dotDotDotToken)
    ? name.elements.map(({ propertyName, name: own }) => (propertyName ?? own).getText())
    : undefined

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean => {
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.every((element) => element.isTypeOnly)
  )
}

const namesOf = (clause: ts.ImportClause | undefined): readonly string[] => {
  if (!clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return []
  const named = clause.namedBindings
  return [
    ...(clause.name ? ['default'] : []),
    ...(named && ts.isNamespaceImport(named) ? ['*'] : []),
    ...(named && ts.isNamedImports(named)
      ? named.elements
          .filter((element) => !element.isTypeOnly)
          .map(({ propertyName, name }) => (propertyName ?? name).text)
      : []),
  ]
}

const typesOf = (clause: ts.ImportClause | undefined): readonly string[] => {
  const named = clause?.namedBindings
  return named && ts.isNamedImports(named)
    ? named.elements
        .filter((element) => element.isTypeOnly || clause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
        .map(({ propertyName, name }) => (propertyName ?? name).text)
    : []
}

const namesAgain = (clause: ts.NamedExportBindings | undefined): readonly string[] =>
  clause && ts.isNamedExports(clause)
    ? clause.elements
        .filter((element) => !element.isTypeOnly)
        .map(({ propertyName, name }) => (propertyName ?? name).text)
    : ['*']

const read = (path: string): Source => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, layer: layerOf(path), text, imports: importsOf(path, text) }
}

/** Path from the root of the repository of a file that another one imports by a relative specifier. */
export const importedPath = (from: string, of: string): string =>
  relative(root, resolve(root, dirname(from), of))
    .split(sep)
    .join('/')

/** The values that these modules import, as `path name`. */
export const importedBy = (modules: readonly Source[]): ReadonlySet<string> =>
  new Set(
    modules.flatMap(({ path, imports }) =>
      imports
        .filter(({ of }) => of.startsWith('.'))
        .flatMap(({ of, names }) => names.map((name) => `${importedPath(path, of)} ${name}`)),
    ),
  )

/** Every module of the program. */
export const sources: readonly Source[] = [...filesIn('src'), ...filesIn('components')].map(read)

/** Tests, benches and scripts of the build, which may use what a module exports. */
export const users: readonly Source[] = ['test', 'bench', 'build'].flatMap(filesIn).map(read)
