import MarkdownIt from 'markdown-it'

// Of the parsers that were measured this is the one whose time grows with the length of any text: 40 kB of `* + * +` took
// mdast-util-from-markdown 76 s, and 1 MB takes markdown-it 7 ms.

export interface Node {
  readonly type: string
  /** From 1. */
  readonly line: number
  /** Of a table's cell, with an escaped `|` as one character. */
  content: string
  readonly markup: string
  readonly children: Node[]
}

export interface Tree {
  readonly nodes: readonly Node[]
  /** The last node, where it is a code fence or comment that would take in whatever followed the text. */
  readonly open: Node | undefined
}

/** The tree of blocks of a text whose lines end with LF. */
export const treeOf = (text: string, { tables }: { readonly tables: boolean }): Tree => {
  const nodes = nodesOf(`${text}\n\n# end`, tables ? parserOfTables : parser)
  const last = nodes.at(-1)!
  const end = last.type === 'heading' && last.line === text.split('\n').length + 2
  return end ? { nodes: nodes.slice(0, -1), open: undefined } : { nodes, open: last }
}

/** The text with a last line that ends the block that was left open. */
export const closedText = (text: string, { open }: Tree): string => (open ? `${text.replace(/\n+$/, '')}\n${closerOf(text.split('\n')[open.line - 1]!)}` : text)

/** Levels of nesting that are read; a list and its bullet are one each. markdown-it gives up at 20. */
const DEEPEST = 10

const parserOf = (rules: readonly string[]) => {
  const made = new MarkdownIt('commonmark').enable([...rules]).disable('reference')
  made.core.ruler.enableOnly(['normalize', 'block'])
  // Bullets of bullets are as deep as the seed goes; lines below that are passed over one by one, however deep they are.
  made.block.ruler.before('table', 'deep', (state, line, _end, silent) => {
    if (state.level < DEEPEST) return false
    if (!silent) state.line = line + 1
    return true
  })
  return made
}

const parser = parserOf([])
// Kept apart, since it takes `- a | b` above `  --|--` for a table, which is a bullet with a table in it.
const parserOfTables = parserOf(['table'])

/** Which line ends a block that begins with this one (CommonMark 4.5 and 4.6). */
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
      const node: Node = { type: token.type.replace(/_open$/, ''), line: (token.map?.[0] ?? 0) + 1, content: token.content, markup: token.markup, children: [] }
      above.children.push(node)
      if (token.nesting === 1) path.push(node)
    }
  }
  return root.children
}
