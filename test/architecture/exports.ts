import ts from 'typescript'
import { importedPath, parse, type Source } from './sources.ts'

/** Values that a file exports and no user imports, as `path name`. */
export const unusedExports = (sources: readonly Source[], users: readonly Source[]): readonly string[] => {
  const used = new Map<string, Set<string>>()
  for (const { path, imports } of users) {
    for (const { of, names, types = [] } of imports) {
      if (!of.startsWith('.')) continue
      const target = importedPath(path, of)
      // A class is a type as well.
      used.set(target, new Set([...(used.get(target) ?? []), ...names, ...types.map((name) => `class ${name}`)]))
    }
  }
  return sources.flatMap(({ path, text }) => {
    const names = used.get(path)
    return names?.has('*')
      ? []
      : exportedValues(path, text).flatMap((name) =>
          names?.has(name.replace(/^class /, '')) || names?.has(name) ? [] : [`${path} ${name.replace(/^class /, '')}`],
        )
  })
}

/** Their names; those of classes after `class `. */
const exportedValues = (path: string, text: string): readonly string[] =>
  parse(path, text).statements.flatMap((statement): readonly string[] => {
    if (ts.isExportAssignment(statement)) return ['default']
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause
      return !statement.isTypeOnly && clause && ts.isNamedExports(clause)
        ? clause.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text)
        : []
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    if (!isExported) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name))
    if (ts.isClassDeclaration(statement) && statement.name) return [`class ${statement.name.text}`]
    return ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : []
  })

const namesIn = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)))
