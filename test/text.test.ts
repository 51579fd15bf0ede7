import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name).split(sep).join('/'))

/** The arguments of these functions are shown, even a single word; so are values of these properties. */
const speakers = new Set(['ours', 'safeText', 'heading', 'fact', 'tell', 'noticed', 'paragraph', 'verbatim'])
const shownAs = new Set(['title', 'label', 'hint', 'help', 'word', 'note'])
/** The values of these names are never shown. */
const idNames = new Set(['id', 'key', 'of', 'kind', 'path', 'shown', 'displayName'])
/** Units and programs are not English words. */
const names = /(?<!\p{L})(ms|git|aiswarm)(?!\p{L})/gu

const sentence = /\p{L}{2,}[,.:;]? +\p{L}|\p{L}[,.:;]? +\p{L}{2,}|(?<!\p{L})\p{Lu}\p{Ll}{2,}/u
const besideValue = /(?<!\p{L})\p{Ll}{2,}[,.:;]? +…|…[,.:;]? +\p{Ll}{2,}|… \p{Ll}+ …/u

/** The text of a literal, with `…` for each value of a template. */
const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) return node.text
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
    : undefined
}

interface Whole {
  readonly to: ts.Node
  readonly part: ts.Node
  /** True if it is between other words. */
  readonly inserted: boolean
}

/** The expression that this literal is a part of: the argument or value. */
const wholeOf = (node: ts.Node, inserted = false): Whole => {
  const { parent } = node
  const goesOn =
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isBinaryExpression(parent) && ['??', '||', '+'].includes(parent.operatorToken.getText())) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isTemplateSpan(parent) ||
    ts.isTemplateExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isJsxExpression(parent) ||
    (ts.isPropertyAccessExpression(parent) && parent.expression === node) ||
    (ts.isCallExpression(parent) && parent.expression === node)
  return goesOn ? wholeOf(parent, inserted || ts.isTemplateSpan(parent)) : { to: parent, part: node, inserted }
}

const nameOf = (to: ts.Node, part: ts.Node): { readonly called?: string; readonly named?: string } => {
  if (ts.isCallExpression(to) && to.arguments[0] === part)
    return { called: ts.isPropertyAccessExpression(to.expression) ? to.expression.name.text : to.expression.getText() }
  if (ts.isPropertyAssignment(to) || ts.isJsxAttribute(to) || ts.isVariableDeclaration(to))
    return { named: to.name.getText() }
  // A set contains values to compare, not to show.
  if (ts.isNewExpression(to)) return { named: 'key' }
  return ts.isBinaryExpression(to) && ts.isPropertyAccessExpression(to.left) ? { named: to.left.name.text } : {}
}

const isCode = ({ parent }: ts.Node): boolean =>
  ts.isElementAccessExpression(parent) ||
  ts.isCaseClause(parent) ||
  (ts.isBinaryExpression(parent) && ['===', '!==', 'in'].includes(parent.operatorToken.getText()))

const isEnglish = (node: ts.Node, text: string): boolean => {
  if (isCode(node) || text.includes('\u001b')) return false
  const { to, part, inserted } = wholeOf(node)
  const { called = '', named = '' } = nameOf(to, part)
  if (idNames.has(named)) return false
  const words = text.replace(names, '')
  const shown = inserted || speakers.has(called) || shownAs.has(named)
  return (
    sentence.test(words) ||
    (ts.isTemplateExpression(node) && besideValue.test(words)) ||
    (shown && /\p{L}{2}/u.test(words))
  )
}

/** The English in a file, with its lines. */
const englishIn = (path: string, text: string): readonly string[] => {
  const found: string[] = []
  const file = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )
  const visit = (node: ts.Node): void => {
    if (
      ts.isImportDeclaration(node) ||
      ts.isExportDeclaration(node) ||
      ts.isTypeNode(node) ||
      ts.isThrowStatement(node)
    )
      return
    const words = textOf(node)
    const isName = ts.isPropertyAssignment(node.parent ?? file) && (node.parent as ts.PropertyAssignment).name === node
    if (words !== undefined && !isName && isEnglish(node, words))
      found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${words.trim()}`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

describe('the English of the console', () => {
  it('is only in src/text', () => {
    const files = [...filesIn('src/ui'), ...filesIn('components')]
    expect(files.flatMap((path) => englishIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  it.each([
    ["const why = 'The worktree is gone.'", 1],
    ["const answer = ready ? 'y approves' : 'esc back'", 2],
    ['const left = `${n} files`', 1],
    ['const left = `… and ${n} more`', 1],
    ["desk.tell('Gone')", 1],
    ["const line = { text: ours(known ? 'read' : 'unread') }", 2],
    ["const lines = [...fact('agent', agent.id)]", 1],
    ["const row = { title: 'Board', word: 'ready', hint: name ?? 'none' }", 3],
    ["const head = ours(`${'pid'.padStart(8)}`)", 1],
    ["throw new Error('This cannot be, ever.')", 0],
    ["import { a } from 'A strange package'", 0],
    ["type State = 'Accepted' | 'in work'", 0],
    ["if (state === 'Accepted') go(env['NO COLOR'])", 0],
    ["const found = `${n} ${n === 1 ? 'task' : 'tasks'}`", 2],
    ["const modes = new Set(['task add'])", 0],
    ["const row = { key: `task ${id}`, kind: 'task', 'in words': 1 }", 0],
    ["BoardRow.displayName = 'BoardRow'", 0],
    ['const took = `${n} ms`', 0],
    ["const mark = '✓', shape = 'tree', pane = 'board'", 0],
  ])('is detected in %s: %i', (code, count) => {
    expect(englishIn('x.ts', code)).toHaveLength(count)
  })

  it('is detected between the tags of a component', () => {
    expect(englishIn('x.tsx', 'const X = () => <Text title="Keys" key="a row">no tasks</Text>')).toHaveLength(2)
  })
})
