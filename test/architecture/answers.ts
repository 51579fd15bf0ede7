import ts from 'typescript'
import { importedPath, parse, type Source } from './sources.ts'

type Text = Pick<Source, 'path' | 'text' | 'imports'>

/**
 * Calls whose answer is thrown away, as `path name`: of the exported functions of `answering` that say by a boolean
 * whether they changed a row. An insert that finds its row is left out: nothing remains to be done.
 */
export const droppedAnswers = (answering: readonly Text[], users: readonly Text[]): readonly string[] => {
  const names = new Map(answering.map(({ path, text }) => [path, new Set(answersIn(path, text))]))
  return users.flatMap((user) => {
    const known = user.imports.flatMap(({ of, names: imported }) =>
      of.startsWith('.') ? imported.filter((name) => names.get(importedPath(user.path, of))?.has(name)) : [],
    )
    return droppedIn(user, new Set([...known, ...(names.get(user.path) ?? [])]))
  })
}

/** The exported functions whose result is `Promise<boolean>`. */
const answersIn = (path: string, text: string): readonly string[] =>
  parse(path, text).statements.flatMap((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap(({ name, initializer }) =>
          initializer &&
          ts.isArrowFunction(initializer) &&
          initializer.type?.getText() === 'Promise<boolean>' &&
          !name.getText().startsWith('insert')
            ? [name.getText()]
            : [],
        )
      : [],
  )

const droppedIn = ({ path, text }: Text, names: ReadonlySet<string>): readonly string[] => {
  const dropped: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && names.has(node.expression.getText()) && isDropped(node))
      dropped.push(`${path} ${node.expression.getText()}`)
    ts.forEachChild(node, visit)
  }
  if (names.size > 0) visit(parse(path, text))
  return dropped
}

/** True if the value goes nowhere: as a statement, after `await` or `void`, or in a list that is only awaited. */
const isDropped = (node: ts.Node): boolean => {
  const { parent } = node
  if (ts.isExpressionStatement(parent)) return true
  if (ts.isAwaitExpression(parent) || ts.isVoidExpression(parent) || ts.isParenthesizedExpression(parent))
    return isDropped(parent)
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isDropped(parent)
  if (ts.isBinaryExpression(parent)) return parent.right === node && isDropped(parent)
  if (ts.isArrayLiteralExpression(parent) || ts.isArrowFunction(parent)) return isInDroppedList(parent)
  return false
}

/** True for the parts of `await Promise.all(list)` as a statement, where the list may be `things.map(part)`. */
const isInDroppedList = (part: ts.Node): boolean => {
  const call = part.parent
  if (!ts.isCallExpression(call)) return false
  const called = call.expression.getText()
  if (called === 'Promise.all') return isDropped(call)
  return /\.(?:map|flatMap|forEach)$/.test(called) && (isInDroppedList(call) || isDropped(call))
}
