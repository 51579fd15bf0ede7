import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parse, parseDocument, stringify } from 'yaml'
import type { ConfigurationDraft, SettingChange, SettingNow } from '../../contracts/configuration.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { catalogue } from '../../domain/settings/catalogue.ts'
import { parseSettings } from './config.ts'
import { lineFinder } from './key-lines.ts'

// The settings in the text of the configuration, as a person sees and changes them one by one.

/** The values that the repository or the machine gives to a key that the file lacks. */
type FoundValues = Readonly<Record<string, string | null>>

/** Keys that count as they are committed on the target branch. */
const committedKeys: ReadonlySet<string> = new Set(['integration.verify', 'integration.approval'])

/** Every setting with its value and its source. `committed`: the text of the file on the target branch, if there is one. */
export const settingsNow = (text: string, found: FoundValues, committed: string | undefined): readonly SettingNow[] => {
  const here = reader(text)
  const there = committed === undefined ? undefined : reader(committed)
  return catalogue.map(({ key, standard }): SettingNow => {
    const own = here(key)
    const now: SettingNow = own
      ? { key, value: own.value, source: 'file', line: own.line }
      : typeof found[key] === 'string'
        ? { key, value: found[key], source: 'found', line: null }
        : { key, value: plain(standard), source: 'default', line: null }
    if (!committedKeys.has(key)) return now
    const counts = there?.(key)?.value ?? plain(standard)
    return counts === now.value
      ? now
      : { key, value: counts, source: there?.(key) ? 'branch' : 'default', line: now.line, inFile: now.value }
  })
}

/** A quoted text is shown without its quotes. */
const plain = (standard: string): string => (standard === '""' ? '' : standard.replace(/^"(.*)"$/, '$1'))

const reader = (text: string): ((key: string) => { readonly value: string; readonly line: number } | undefined) => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineOf = lineFinder(document, lines)
  return (key) => {
    const at = pathOfSetting(key)
    if (!isMap(document.contents) || !document.hasIn(at)) return undefined
    const value = document.getIn(at, true)
    const js = (value as { toJS?: (of: unknown) => unknown } | undefined)?.toJS?.(document) ?? null
    return { value: onOneLine(js), line: lineOf(at) }
  }
}

const onOneLine = (value: unknown): string =>
  typeof value === 'string' && !value.includes('\n')
    ? value
    : stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()

/** The keys of a setting in the file: the names of events have dots. */
const pathOfSetting = (key: string): readonly string[] =>
  key.startsWith('on.') ? ['on', key.slice('on.'.length)] : key.split('.')

/**
 * The text with the changes, and its settings. Comments, order and everything else stay. Refuses a file that is broken,
 * and a value that the program could not read.
 */
export const withChanges = (source: string, path: string, changes: readonly SettingChange[]): ConfigurationDraft => {
  const document = parseDocument(source)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents)))
    throw new Refusal('config_invalid', `${path} cannot be parsed as it is. Open it in your editor and fix it first.`)
  const text = changes.reduce(withChange, source)
  return { text, settings: settingsIn(text, path) }
}

/** One change at a time, because each section may be indented by another number of spaces. */
const withChange = (source: string, { key, value }: SettingChange): string => {
  const document = parseDocument(source)
  const at = pathOfSetting(key)
  if (value === null) remove(document, at)
  else set(document, at, valueOf(key, value))
  const text = written(source, document, indentOf(source, at[0]!))
  // A document without a key is written as a null.
  return text.trim() === 'null' || text.trim() === '{}' ? '' : text
}

/** Spaces before the keys of a section; two where it has none of its own. */
const indentOf = (source: string, section: string): number => {
  const lines = source.split('\n')
  const head = lines.findIndex((line) => line.startsWith(`${section}:`))
  const below = head === -1 ? [] : lines.slice(head + 1)
  const end = below.findIndex((line) => /^[^\s#]/.test(line))
  const first = below.slice(0, end === -1 ? below.length : end).find((line) => /^ +[^\s#]/.test(line))
  return first === undefined ? 2 : /^ +/.exec(first)![0].length
}

/** Long lines and comments are not folded, and lines that do not change keep their spacing. */
const written = (source: string, document: Document, indent: number): string => {
  const next = document.toString({ flowCollectionPadding: false, lineWidth: 0, indent })
  const kept = keptLines(source, next)
  const meant = parseDocument(kept)
  return meant.errors.length === 0 && isDeepStrictEqual(meant.toJS(), document.toJS()) ? kept : next
}

/** A refused value names its key, not its line in a file that does not exist yet. */
const settingsIn = (text: string, path: string): ConfigurationDraft['settings'] => {
  try {
    return parseSettings(text, path).settings
  } catch (error) {
    if (!isRefusal(error)) throw error
    const sentence = error.message.startsWith(`${path}:`)
      ? error.message.slice(path.length + 1).replace(/^\d+: /, '')
      : error.message
    throw new Refusal(error.code, sentence, { cause: error })
  }
}

/** A text is taken as it is typed; other values are read as YAML. */
const valueOf = (key: string, typed: string): unknown => {
  if (catalogue.find((one) => one.key === key)?.value === 'text') return typed
  try {
    return parse(typed) as unknown
  } catch (error) {
    throw new Refusal('invalid_input', `${key}: ${(error as Error).message.split('\n')[0]!.replace(/:$/, '')}.`, {
      cause: error,
    })
  }
}

const set = (document: Document, at: readonly string[], value: unknown): void => {
  const list = document.getIn(at, true)
  // The entries of a list stay with their comments.
  if (isSeq(list) && Array.isArray(value) && grows(list.toJSON(), value)) {
    for (const one of value.slice(list.items.length) as readonly unknown[]) list.add(document.createNode(one))
    return
  }
  const section = at.slice(0, 1)
  for (let depth = 1; depth < at.length; depth++) {
    const above = at.slice(0, depth)
    const there = document.getIn(above, true)
    if (isMap(there)) continue
    const map = document.createNode({})
    // `session:` without a value keeps its comments.
    if (isNode(there))
      [map.commentBefore, map.spaceBefore] = [commentsOf(there), isScalar(there) && there.spaceBefore === true]
    document.setIn(above, map)
  }
  // An empty section in braces would write its first key in them.
  const map = document.getIn(section, true)
  if (isMap(map) && map.items.length === 0) map.flow = false
  document.setIn(at, typeof value === 'object' && value !== null ? flow(document, value) : value)
}

const grows = (old: readonly unknown[], next: readonly unknown[]): boolean =>
  old.length > 0 && old.length < next.length && old.every((one, at) => isDeepStrictEqual(one, next[at]))

const flow = (document: Document, value: object): unknown => {
  const node = document.createNode(value)
  if (isNode(node) && 'flow' in node) node.flow = true
  return node
}

const commentsOf = (node: {
  readonly commentBefore?: string | null
  readonly comment?: string | null
}): string | null =>
  [node.commentBefore, node.comment].filter((comment) => typeof comment === 'string').join('\n') || null

/** A section without a key is removed too, unless a comment is in it. */
const remove = (document: Document, at: readonly string[]): void => {
  if (!document.hasIn(at)) return
  document.deleteIn(at)
  for (let depth = at.length - 1; depth > 0; depth--) {
    const above = document.getIn(at.slice(0, depth), true)
    if (!isMap(above) || above.items.length > 0 || commentsOf(above) !== null) return
    document.deleteIn(at.slice(0, depth))
  }
}

/**
 * `next` with the lines of `source` wherever only their spacing differs, because writing a document anew moves every
 * comment. The caller checks that the result still means the same.
 */
const keptLines = (source: string, next: string): string => {
  const [own, wanted] = [source.split('\n'), next.split('\n')]
  const [a, b] = [own.map(spaced), wanted.map(spaced)]
  const common = lengths(a, b)
  const lines: string[] = []
  let at = 0
  for (let of = 0; of < b.length;) {
    if (at < a.length && a[at] === b[of]) {
      lines.push(own[at++]!)
      of++
    } else if (at < a.length && common[at + 1]![of]! >= common[at]![of + 1]!) at++
    else {
      // Writing anew adds empty lines; the last one ends the file.
      if (b[of] !== '' || of === b.length - 1) lines.push(wanted[of]!)
      of++
    }
  }
  return lines.join('\n')
}

const spaced = (line: string): string => line.trim().replace(/\s+/g, ' ')

/** Lengths of the longest common subsequences of the rests of two lists. */
const lengths = (one: readonly string[], other: readonly string[]): readonly (readonly number[])[] => {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 2).fill(0))
  for (let at = one.length - 1; at >= 0; at--)
    for (let of = other.length - 1; of >= 0; of--)
      table[at]![of] =
        one[at] === other[of] ? table[at + 1]![of + 1]! + 1 : Math.max(table[at + 1]![of]!, table[at]![of + 1]!)
  return table
}
