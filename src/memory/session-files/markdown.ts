import type { Heading, ListItem, Node, Nodes, Paragraph, Root, RootContent, Table } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

// Seed 000's files as headings with bullets and tables below them. Values are slices of the source, not what the tree
// makes of them: what an author wrote as `a_b` or `**so**` stays as it was written.

/** A heading of the document and what stands below it, up to the next. The part above the first heading has depth 0. */
export interface Section {
  readonly depth: number
  /** Source of the heading's text. */
  readonly title: string
  /** From 1. */
  readonly line: number
  readonly blocks: readonly Block[]
  /** Source of the whole section, from its heading on, without blank lines around it. */
  readonly source: string
}

export type Block = { readonly line: number; readonly source: string } & (
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly value: string }
  | { readonly kind: 'text' }
)

/** A bullet. */
export interface Item {
  readonly line: number
  /** Its lines as they stand in the file. */
  readonly source: string
  /** What follows the bullet; later lines without their indentation. */
  readonly text: string
  /** `Status` and `completed` of `- **Status**: completed`; undefined for a bullet without a key. */
  readonly key: string | undefined
  readonly value: string
  readonly items: readonly Item[]
  /** Of a bullet that begins with code: the code, and what follows it. */
  readonly code: { readonly value: string; readonly rest: string } | undefined
}

/** The document as a list of its sections, in order. Without `tables`, lines with bars are text. */
export const sectionsOf = (source: string, tables = false): readonly Section[] => {
  const treeOf = tables ? withTables : withoutTables
  const text = source + closing(source, treeOf(source).children.at(-1))
  const tree = treeOf(text)
  bound(text, tree.children, text.length)
  const lines = text.split('\n')
  const groups: { heading: RootContent | undefined; nodes: RootContent[] }[] = [{ heading: undefined, nodes: [] }]
  for (const node of tree.children) {
    if (node.type === 'heading') groups.push({ heading: node, nodes: [] })
    else groups.at(-1)!.nodes.push(node)
  }
  return groups
    .filter(({ heading, nodes }) => heading !== undefined || nodes.length > 0)
    .map(({ heading, nodes }) => ({
      depth: heading?.type === 'heading' ? heading.depth : 0,
      title: heading?.type === 'heading' ? oneLine(sourceOf(text, heading.children)) : '',
      line: startLine(heading ?? nodes[0]!),
      blocks: nodes.map((node) => blockOf(text, lines, node)),
      source: [...(heading?.type === 'heading' ? [headingLine(text, heading)] : []), ...(nodes.length === 0 ? [] : [linesBetween(lines, heading, nodes)])].join('\n'),
    }))
}

const withTables = (text: string): Root => fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] })
const withoutTables = (text: string): Root => fromMarkdown(text)

/** Ends every block before the next begins: the tree lets one that nothing closes reach into the line behind it. */
const bound = (text: string, nodes: readonly RootContent[], limit: number): void => {
  for (const [at, node] of nodes.entries()) {
    const { start, end } = node.position!
    const next = nodes[at + 1]?.position?.start.offset
    const stop = next === undefined ? limit : text.lastIndexOf('\n', next - 1) + 1
    const offset = start.offset! + text.slice(start.offset, Math.min(end.offset!, stop)).trimEnd().length
    node.position!.end = { ...end, offset, line: start.line + text.slice(start.offset, offset).split('\n').length - 1 }
    if (node.type === 'list' || node.type === 'listItem') bound(text, node.children, offset)
  }
}

/** What the end of the file closes by itself is closed in words, so that it closes wherever it is written again. */
const closing = (text: string, last: RootContent | undefined): string => {
  const source = last ? text.slice(last.position!.start.offset!, last.position!.end.offset!) : ''
  if (last?.type === 'code') {
    const fence = /^(`{3,}|~{3,})/.exec(source)?.[1]
    if (fence === undefined) return ''
    const end = source.slice(source.lastIndexOf('\n') + 1).trim()
    return source.includes('\n') && end.length >= fence.length && end === fence[0]!.repeat(end.length) ? '' : `\n${fence}\n`
  }
  if (last?.type !== 'html') return ''
  const [, , end] = htmlEnds.find(([begins, ends]) => begins.test(source) && !ends.test(source)) ?? []
  return end === undefined ? '' : `\n${end}\n`
}

/** HTML that goes on over empty lines until its own end. */
const htmlEnds: readonly (readonly [begins: RegExp, ends: RegExp, end: string])[] = [
  [/^<!--/, /-->/, '-->'],
  [/^<\?/, /\?>/, '?>'],
  [/^<!\[CDATA\[/, /\]\]>/, ']]>'],
  [/^<![A-Za-z]/, />/, '>'],
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i, '</script>'],
]

/** In one form, however it was written. */
const headingLine = (text: string, heading: Heading): string => `${'#'.repeat(heading.depth)} ${oneLine(sourceOf(text, heading.children))}`.trimEnd()

const linesBetween = (lines: readonly string[], heading: RootContent | undefined, nodes: readonly RootContent[]): string =>
  lines.slice(heading ? heading.position!.end.line : startLine(nodes[0]!) - 1, nodes.at(-1)!.position!.end.line).join('\n')

const blockOf = (text: string, lines: readonly string[], node: RootContent): Block => {
  const at = { line: startLine(node), source: linesOf(lines, node, node) }
  if (node.type === 'list') return { ...at, kind: 'list', items: node.children.map((item) => itemOf(text, lines, item)) }
  if (node.type === 'table') return { ...at, kind: 'table', rows: rowsOf(text, node) }
  return node.type === 'code' ? { ...at, kind: 'code', value: node.value } : { ...at, kind: 'text' }
}

/** Cells are told apart by the tree; an escaped `|` in them is one character. */
const rowsOf = (text: string, table: Table): readonly (readonly string[])[] =>
  table.children.map((row) => row.children.map((cell) => sourceOf(text, cell.children).replaceAll('\\|', '|').trim()))

const itemOf = (text: string, lines: readonly string[], node: ListItem): Item => {
  const [begin] = node.children
  // A line of dashes below it makes a heading of the first line of a value.
  const first = begin?.type === 'paragraph' || begin?.type === 'heading' ? begin : undefined
  const start = node.position!.start.offset!
  const end = node.position!.end.offset!
  const content = start + /^(?:[-*+]|\d{1,9}[.)])[ \t]*/.exec(text.slice(start, end))![0].length
  const indentation = (node.position!.start.column ?? 1) + 1
  const dedented = (from: number): string =>
    text
      .slice(from, end)
      .split('\n')
      .map((line, at) => (at === 0 ? line : withoutIndentation(line, indentation)))
      .join('\n')
      .trim()
  const keyed = first ? keyOf(text, first) : undefined
  return {
    line: startLine(node),
    source: outdented(linesOf(lines, node, node), (node.position!.start.column ?? 1) - 1),
    text: unescaped(dedented(content)),
    key: keyed?.key,
    value: keyed ? unescaped(dedented(keyed.after)) : '',
    items: node.children.flatMap((child) => (child.type === 'list' ? child.children.map((item) => itemOf(text, lines, item)) : [])),
    code: first?.children[0]?.type === 'inlineCode' ? { value: first.children[0].value, rest: dedented(first.children[0].position!.end.offset!) } : undefined,
  }
}

const outdented = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => withoutIndentation(line, by))
    .join('\n')

const withoutIndentation = (line: string, by: number): string => line.slice(Math.min(by, line.search(/\S|$/)))

/** `**Key**: value`, `**Key:** value` or `Key: value`; where the value begins. */
const keyOf = (text: string, paragraph: Paragraph | Heading): { readonly key: string; readonly after: number } | undefined => {
  const [first] = paragraph.children
  if (first?.type === 'strong') {
    const inside = sourceOf(text, first.children).trim()
    const end = first.position!.end.offset!
    if (inside.endsWith(':')) return { key: inside.slice(0, -1).trim(), after: end }
    return text[end] === ':' ? { key: inside, after: end + 1 } : undefined
  }
  const start = paragraph.position!.start.offset!
  const line = text.slice(start, paragraph.position!.end.offset!).split('\n')[0]!
  const colon = line.indexOf(':')
  return colon > 0 && /^[A-Za-z][A-Za-z_ /]*$/.test(line.slice(0, colon)) ? { key: line.slice(0, colon).trim(), after: start + colon + 1 } : undefined
}

const sourceOf = (text: string, nodes: readonly Nodes[]): string => (nodes.length === 0 ? '' : text.slice(nodes[0]!.position!.start.offset!, nodes.at(-1)!.position!.end.offset!))

const startLine = (node: Node): number => node.position?.start.line ?? 1

const linesOf = (lines: readonly string[], from: Node, to: Node): string => lines.slice(startLine(from) - 1, to.position?.end.line ?? startLine(from)).join('\n')

/** Dashes alone behind a bullet would be a rule across the page, so they, and what begins with a backslash, are written with one more. */
export const escaped = (text: string): string => (/^(?:\\|[- \t]+(?:\n|$))/.test(text) ? `\\${text}` : text)

const unescaped = (text: string): string => (/^\\(?:\\|[- \t]+(?:\n|$))/.test(text) ? text.slice(1) : text)

/** A value of several lines below a bullet: what follows the first is indented, so that nothing in it is read as structure. */
export const indented = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 || line === '' ? line : ' '.repeat(by) + line))
    .join('\n')

/** The form of a value that stands on one line. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim()
