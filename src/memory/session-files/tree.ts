import MarkdownIt from 'markdown-it'

// Of the measured parsers only this one is linear for any text: 40 kB of `* + * +` took mdast-util-from-markdown 76 s,
// and 1 MB takes markdown-it 7 ms.

export interface Node {
  readonly type: string
  /** From 1. */
  readonly line: number
  /** The text of a table's cell, with an escaped `|` as one character. */
  content: string
  readonly markup: string
  readonly children: Node[]
}

export interface Tree {
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
