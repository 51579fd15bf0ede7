import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isScalar, isSeq, parse, parseDocument } from 'yaml'
import type { ConfigurationDraft, SettingChange } from '../../contracts/configuration.ts'
import { catalogue } from '../../domain/settings/catalogue.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { parseSettings } from './config.ts'
import { keptLines } from './kept-lines.ts'

/** The keys of a setting in the file: the names of events have dots. */
export const pathOfSetting = (key: string): readonly string[] =>
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
