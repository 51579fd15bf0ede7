import MarkdownIt from 'markdown-it'

// Parses seed 000's files into a list of blocks. The tree gives the positions of headings, bullets and tables; values
// are lines of the source, so that text such as `a_b` or `**so**` stays unchanged.

/** A heading, a top-level bullet, a table, or anything else. The blocks cover all lines of a document. */
export interface Block {
  readonly kind: 'heading' | 'item' | 'table' | 'other'
  /** The index among the document's blocks. */
  readonly at: number
  /** From 1. */
  readonly line: number
  /** Its lines unchanged, without empty ones at the end. */
  readonly lines: readonly string[]
  readonly node: Node
}

interface Document {
  readonly blocks: readonly Block[]
  /**
   * The line of an unclosed code fence or comment, which was closed at the end so that it does not swallow other text.
   */
  readonly open: number | undefined
}

/** The blocks of a text with any line endings; tables are parsed only with `tables`. */
export const readDocument = (text: string, tables = false): Document => {
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const tree = treeOf(source, { tables })
  const closed = closedText(source, tree)
  return {
    blocks: blocksOf(tree.open ? treeOf(closed, { tables }).nodes : tree.nodes, closed.split('\n')),
    open: tree.open?.line,
  }
}

const blocksOf = (trees: readonly Node[], lines: readonly string[]): readonly Block[] => {
  const nodes = trees.flatMap((node) => (isList(node) ? node.children : [node]))
  return nodes.map((node, at) => ({
    kind: kindOf(node),
    at,
    line: node.line,
    lines: withoutEmptyEnd(lines.slice(node.line - 1, (nodes[at + 1]?.line ?? Infinity) - 1)),
    node,
  }))
}

const isList = ({ type }: Node): boolean => type === 'bullet_list' || type === 'ordered_list'

/** A text underlined with `---` is a heading in Markdown, but not in the seed. */
const kindOf = ({ type, markup }: Node): Block['kind'] => {
  if (type === 'list_item') return 'item'
  if (type === 'heading') return markup.startsWith('#') ? 'heading' : 'other'
  return type === 'table' ? 'table' : 'other'
}

const withoutEmptyEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => /[^ \t]/.test(line)) + 1)

/** Depth and source of an `# Heading` line; a closing row of `#` is part of the text. */
export const headingOf = ({ lines }: Block): { readonly depth: number; readonly text: string } => {
  const [, signs, text] = /^ *(#+)[ \t]*(.*)$/s.exec(lines[0]!)!
  return { depth: signs!.length, text: text!.trim() }
}

/** The text of a bullet after its sign, with later lines unindented. */
export const itemText = (item: Block): string => textOf(item.lines, item.lines[0]!.replace(/^[ \t]*/, ''))

/** The text before the bullets below a bullet, and each of these. */
export const listBelow = (item: Block): { readonly head: string; readonly texts: readonly string[] } => {
  const items = item.node.children.filter(isList).flatMap((list) => list.children)
  const start = (at: number): number => (items[at] ? items[at].line - item.line : item.lines.length)
  const own =
    items[0]?.line === item.line ? '' : textOf(item.lines.slice(0, start(0)), item.lines[0]!.replace(/^[ \t]*/, ''))
  const texts = items.map((_, at) => {
    const lines = item.lines.slice(start(at), Math.max(start(at + 1), start(at) + 1))
    const behind = start(at) === 0 ? behindSign(lines[0]!.replace(/^[ \t]*/, '')) : lines[0]!
    return textOf(lines, behind.replace(/^[ \t]*/, ''))
  })
  return { head: own, texts }
}

const sign = /^(?:[-*+]|\d{1,9}[.)])([ \t]*)/

const behindSign = (text: string): string => text.replace(sign, '')

/** `first`: the first line, from the bullet's sign on. */
const textOf = (lines: readonly string[], first: string): string => {
  const [whole, space] = sign.exec(first)!
  const wide =
    space!.length === 0 || space!.length > 4 || whole.length === first.length
      ? whole.length - space!.length + 1
      : whole.length
  const indentation = lines[0]!.length - first.length + wide
  return [first.slice(whole.length), ...lines.slice(1).map((line) => outdented(line, indentation))].join('\n').trim()
}

/** The line without its first `columns` of blanks; a tab extends to the next multiple of four. */
const outdented = (line: string, columns: number): string => {
  let column = 0
  let at = 0
  for (; column < columns && (line[at] === ' ' || line[at] === '\t'); at++)
    column = line[at] === '\t' ? column + 4 - (column % 4) : column + 1
  return /^[ \t]*$/.test(line) ? '' : line.slice(at)
}

/** Rows of a table, the heading first; an escaped `|` is one character. */
export const tableRows = ({ node }: Block): readonly { readonly line: number; readonly cells: readonly string[] }[] =>
  node.children.flatMap((part) =>
    part.children.map((row) => ({ line: row.line, cells: row.children.map((cell) => cell.content.trim()) })),
  )

// Of the measured parsers only this one is linear for any text: 40 kB of `* + * +` took mdast-util-from-markdown 76 s,
// and 1 MB takes markdown-it 7 ms.

interface Node {
  readonly type: string
  /** From 1. */
  readonly line: number
  /** The text of a table's cell, with an escaped `|` as one character. */
  content: string
  readonly markup: string
  readonly children: Node[]
}

interface Tree {
  readonly nodes: readonly Node[]
  /** The last node, if it is an unclosed code fence or comment that would swallow appended text. */
  readonly open: Node | undefined
}

/** The tree of blocks of a text with LF line endings. */
export const treeOf = (text: string, { tables }: { readonly tables: boolean }): Tree => {
  const nodes = nodesOf(`${text}\n\n# end`, tables ? parserOfTables : parser)
  const last = nodes.at(-1)!
  const end = last.type === 'heading' && last.line === text.split('\n').length + 2
  return end ? { nodes: nodes.slice(0, -1), open: undefined } : { nodes, open: last }
}

/** The text with a last line that closes the open block. */
export const closedText = (text: string, { open }: Tree): string =>
  open ? `${text.replace(/\n+$/, '')}\n${closerOf(text.split('\n')[open.line - 1]!)}` : text

/** The levels of nesting that are parsed; a list and its bullet are one each. markdown-it stops at 20. */
const DEEPEST = 10

const parserOf = (rules: readonly string[]) => {
  const made = new MarkdownIt('commonmark').enable([...rules]).disable('reference')
  made.core.ruler.enableOnly(['normalize', 'block'])
  // The seed nests bullets no deeper; deeper lines are skipped one by one.
  made.block.ruler.before('table', 'deep', (state, line, _end, silent) => {
    if (state.level < DEEPEST) return false
    if (!silent) state.line = line + 1
    return true
  })
  return made
}

const parser = parserOf([])
// A separate parser, because it would parse `- a | b` above ` --|--`, a bullet with a table in it, as a table.
const parserOfTables = parserOf(['table'])

/** The line that closes a block beginning with this one (CommonMark 4.5 and 4.6). */
const closerOf = (line: string): string => {
  const start = line.trimStart().toLowerCase()
  const fence = /^(?:`{3,}|~{3,})/.exec(start)
  if (fence) return fence[0]
  if (start.startsWith('<!--')) return '-->'
  if (start.startsWith('<?')) return '?>'
  if (start.startsWith('<![cdata[')) return ']]>'
  return start.startsWith('<!') ? '>' : '</script>'
}

const nodesOf = (source: string, by: ReturnType<typeof parserOf>): readonly Node[] => {
  const root: Node = { type: 'root', line: 1, content: '', markup: '', children: [] }
  const path = [root]
  for (const token of by.parse(source, {})) {
    const above = path.at(-1)!
    if (token.nesting === -1) path.pop()
    else if (token.type === 'inline') above.content = token.content
    else {
      const node: Node = {
        type: token.type.replace(/_open$/, ''),
        line: (token.map?.[0] ?? 0) + 1,
        content: token.content,
        markup: token.markup,
        children: [],
      }
      above.children.push(node)
      if (token.nesting === 1) path.push(node)
    }
  }
  return root.children
}
