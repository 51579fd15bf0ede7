import { FormatError } from './format-error.ts'
import { type Block, escaped, indented, type Item, type Section } from './markdown.ts'

// What the four formats share: headings with a value, bullets with a key, what is none of these.

/** `Status` and `running` of `## Status: running`; the value is empty where the heading has none. */
export const headingOf = ({ title }: Section): { readonly key: string; readonly value: string } => {
  const colon = title.indexOf(':')
  return colon === -1 ? { key: title.trim().toLowerCase(), value: '' } : { key: title.slice(0, colon).trim().toLowerCase(), value: title.slice(colon + 1).trim() }
}

/** The value of the one heading of that name. Refuses a second one that says something else. */
export const headingValue = (sections: readonly Section[], key: string, file: string): { readonly value: string; readonly line: number } | undefined => {
  const found = sections.filter((section) => headingOf(section).key === key)
  const [first, ...others] = found
  if (!first) return undefined
  const { value } = headingOf(first)
  const other = others.find((section) => headingOf(section).value !== value)
  if (other) throw new FormatError(file, other.line, `a second '${other.title}' contradicts line ${first.line}.`)
  return { value, line: first.line }
}

/** Bullets of a section, by what their keys mean; those with another key, or none, are left over. */
export interface Bullets {
  readonly found: ReadonlyMap<string, Item>
  readonly rest: readonly string[]
}

export const bulletsOf = (blocks: readonly Block[], keys: readonly string[]): Bullets => {
  const found = new Map<string, Item>()
  const rest: string[] = []
  for (const item of blocks.flatMap((block) => (block.kind === 'list' ? block.items : []))) {
    const key = item.key?.toLowerCase()
    if (key !== undefined && keys.includes(key) && !found.has(key)) found.set(key, item)
    else rest.push(item.source)
  }
  return { found, rest }
}

/** What a section holds besides its bullets with known keys, as it stands and in the order in which `layOut` writes it. */
export const leftOver = (blocks: readonly Block[], rest: readonly string[], below: readonly Section[] = []): readonly string[] => {
  const loose = blocks.filter((block) => block.kind !== 'list').map((block) => block.source)
  const code = loose.filter(isIndentedCode).join('\n\n')
  // What looks like a bullet will be one where it is written again.
  const prose = loose.filter((source) => !isIndentedCode(source))
  return [...(code === '' ? [] : [code]), ...rest, ...prose.filter(isBullet), ...prose.filter((source) => !isBullet(source)), ...below.map((section) => section.source)]
}

/** What stands in a file besides its known headings: first what belongs to none, then whole sections. */
export const besides = (blocks: readonly Block[], sections: readonly Section[], bullets: readonly string[] = []): readonly string[] => {
  const items = blocks.flatMap((block) => (block.kind === 'list' ? block.items.map((item) => item.source) : []))
  return leftOver(blocks, [...items, ...bullets], sections)
}

/** The one section whose title fits. Refuses a second. */
export const onlySection = (sections: readonly Section[], title: RegExp, file: string): Section | undefined => {
  const [first, second] = sections.filter((section) => section.depth > 0 && title.test(section.title))
  if (second) throw new FormatError(file, second.line, `there is a second '${second.title}'; line ${first!.line} has the first.`)
  return first
}

/** A heading with its bullets and what was left over. */
export const layOut = (head: string, bullets: readonly string[], other: readonly string[]): readonly string[] => {
  // Behind a bullet, indented code would belong to it.
  const code = other.filter(isIndentedCode)
  const more = other.filter(isBullet)
  const list = [...bullets, ...more].reduce((lines, bullet, at) => (at === 0 ? bullet : `${lines}${/^- \S/.test(bullet) ? '\n' : '\n\n'}${bullet}`), '')
  const rest = other.filter((source) => !isIndentedCode(source) && !isBullet(source))
  return code.length === 0 ? [[head, list].filter(Boolean).join('\n'), ...rest] : [head, ...code, list, ...rest]
}

const isIndentedCode = (source: string): boolean => /^(?: {4}|\t)/.test(source)
const isRule = (source: string): boolean => /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(source)
const isBullet = (source: string): boolean => !isRule(source) && /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\n|$)/.test(source)

/** `- **Key**: value`, later lines indented below it. */
export const bullet = (key: string, value: string): string => `- **${key}**: ${indented(escaped(value), 2)}`

/** One of the words; undefined for a template's line that still lists them, or anything else. */
export const wordOf = <T extends string>(value: string, words: readonly T[]): T | undefined => {
  const word = value
    .replace(/^[*`"']+|[*`"'.]+$/g, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return words.find((one) => one === word)
}

/** The refusal of a value that is none of the words. */
export const noWord = (file: string, line: number, what: string, value: string, words: readonly string[]): FormatError => {
  const template = value.includes('|')
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  if (template) return new FormatError(file, line, `the ${what} still lists the template's choices; write one of ${list}.`)
  return new FormatError(file, line, value === '' ? `the ${what} is missing; write ${list}.` : `'${value.slice(0, 60)}' is no ${what}; write ${list}.`)
}

/** N of `task-N`, or of N alone. */
export const taskNumberOf = (value: string): number | undefined => {
  const match = /^(?:task-)?(\d{1,9})$/i.exec(value.trim())
  const number = match ? Number(match[1]) : 0
  return number > 0 ? number : undefined
}

export const wholeNumberOf = (value: string): number | null => (/^\d{1,9}$/.test(value.trim()) ? Number(value) : null)

/** Parts of a document with an empty line between them. */
export const paragraphs = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`
