import ts from 'typescript'
import { parse, type Source } from './sources.ts'

export const MOST_LINES = 60

/** Begins the comment that says why a function is longer: in its first line, or alone in the first line of its body. */
const reason = /\/[/*] In one piece because \S/

/** Functions that are longer than sixty lines, closures included, as `path name`; those with a reason in their first line are left out. */
export const longFunctions = (sources: readonly Pick<Source, 'path' | 'text'>[]): readonly string[] =>
  sources.flatMap(({ path, text }) => longIn(path, text))

const longIn = (path: string, text: string): readonly string[] => {
  const lines = text.split('\n')
  if (lines.length <= MOST_LINES) return []
  const file = parse(path, text)
  const long: string[] = []
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node, name: string): void => {
    const own = nameOf(node) ?? name
    if (isFunction(node) && node.body) {
      const [first, body, last] = [lineAt(node.getStart()), lineAt(node.body.getStart()), lineAt(node.getEnd())]
      const hasReason = [lines[first], lines[body], lines[body + 1]].some(
        (line) => line !== undefined && reason.test(line),
      )
      if (last - first + 1 > MOST_LINES && !hasReason) long.push(`${path} ${own}`)
    }
    ts.forEachChild(node, (child) => visit(child, own))
  }
  visit(file, 'module')
  return long
}

const isFunction = (
  node: ts.Node,
): node is ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration =>
  ts.isArrowFunction(node) ||
  ts.isFunctionExpression(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node)

/** A function has the name of what it is given to. */
const nameOf = (node: ts.Node): string | undefined =>
  (ts.isVariableDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node)) &&
  node.name &&
  ts.isIdentifier(node.name)
    ? node.name.text
    : undefined
