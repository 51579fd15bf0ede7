import { FormatError } from '../format-error.ts'

// Writes single values, and reads the variants that agents write.

/** The normal form of a value on one line: no line breaks, no blanks around it. */
export const oneLine = (text: string): string =>
  text
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/** The normal form of a value with several lines: LF line endings, no blanks around it or on empty lines. */
export const manyLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t]+$/gm, '')
    .trim()

/** Indents later lines, so that they belong to the bullet and nothing in them is parsed as structure. */
export const indented = (text: string, by = 2): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 || line === '' ? line : ' '.repeat(by) + line))
    .join('\n')

/** The text of a bullet. Dashes alone would be a horizontal rule, so they are written with a backslash. */
export const escapedDashes = (text: string): string => text.replace(/^\\*-[- \t]*(?=\n|$)/, '\\$&')
export const plainDashes = (text: string): string => text.replace(/^\\(?=\\*-[- \t]*(?:\n|$))/, '')

/** A criterion of the board. A text that begins like a checkbox is written with a backslash. */
export const escapedCriterion = (text: string): string =>
  escapedDashes(/^\\*\[[ xX]\](?:\s|$)/.test(text) ? `\\${text}` : text)
export const plainCriterion = (text: string): string =>
  plainDashes(text.replace(/^\[[ xX]\](?:\s+|$)/, '')).replace(/^\\(?=\\*\[[ xX]\](?:\s|$))/, '')

/** A word, an id or a number without the decoration that authors add. */
export const plainWord = (text: string): string =>
  text.length > 100 ? text : text.trim().replace(/^(?:\*\*|[`"'])+|(?:\*\*|[`"'])+$/g, '')

export const isNone = (text: string): boolean => /^(?:none(?: encountered)?\.?|n\/a|-)?$/i.test(text.trim())

/**
 * One of the words, ignoring case. Refuses any other; a line of the template that still lists the words gets its own
 * message.
 */
export const wordOf = <T extends string>(
  value: string,
  words: readonly T[],
  at: { readonly file: string; readonly line: number; readonly what: string },
): T => {
  const said = plainWord(value).toLowerCase().replace(/[ -]+/g, '_')
  const word = words.find((one) => one === said)
  if (word !== undefined) return word
  const choice = `write ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  if (words.filter((one) => value.includes(one)).length > 1)
    throw new FormatError(at.file, at.line, `the ${at.what} still lists the template's choices; ${choice}.`)
  throw new FormatError(
    at.file,
    at.line,
    value === '' ? `the ${at.what} is missing; ${choice}.` : `${shown(value)} is not a ${at.what}; ${choice}.`,
  )
}

/** N of `task-N`, and the text after it. */
export const taskOf = (value: string): { readonly id: number; readonly more: string } | undefined => {
  const match =
    /^task[- ]?#?(\d{1,9})(?![\w.])[\s:–—-]*(.*)$/is.exec(plainWord(value)) ?? /^#?(\d{1,9})()$/.exec(plainWord(value))
  return match && Number(match[1]) > 0 ? { id: Number(match[1]), more: match[2]!.trim() } : undefined
}

export const wholeNumberOf = (value: string): number | undefined =>
  /^\d{1,9}$/.test(plainWord(value)) ? Number(plainWord(value)) : undefined

/** A path between more backticks than the path contains. */
export const codeSpan = (path: string): string => {
  const ticks = '`'.repeat(1 + Math.max(0, ...[...path.matchAll(/`+/g)].map(([run]) => run.length)))
  const space = path.startsWith('`') || path.endsWith('`') ? ' ' : ''
  return ticks + space + path + space + ticks
}

/** The path at the start of a text that begins with a backtick, and the text after it. */
export const leadingCode = (text: string): { readonly code: string; readonly rest: string } | undefined => {
  const ticks = /^`+/.exec(text)?.[0]
  if (ticks === undefined) return undefined
  for (const run of text.slice(ticks.length).matchAll(/`+/g)) {
    if (run[0].length === ticks.length)
      return {
        code: oneLine(text.slice(ticks.length, ticks.length + run.index)),
        rest: text.slice(2 * ticks.length + run.index),
      }
  }
  return undefined
}

/** Paths separated by commas; one with a comma or a backtick is between backticks. */
export const pathsLine = (paths: readonly string[]): string =>
  paths.map((path) => (/[,`]/.test(path) || isNone(path) ? codeSpan(path) : path)).join(', ')

export const pathsOf = (text: string): readonly string[] => {
  const paths: string[] = []
  for (let rest = text.trim(); rest !== ''; rest = rest.replace(/^\s*,\s*/, '')) {
    const code = leadingCode(rest)
    if (code && /^\s*(?:,|$)/.test(code.rest)) {
      paths.push(code.code)
      rest = code.rest
    } else {
      const end = rest.indexOf(',') === -1 ? rest.length : rest.indexOf(',')
      if (!isNone(rest.slice(0, end))) paths.push(rest.slice(0, end).trim())
      rest = rest.slice(end)
    }
  }
  return paths.filter((path) => path !== '')
}

/** A value for a message: quoted, truncated, without control characters. */
export const shown = (text: string): string =>
  `'${JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text).slice(1, -1)}'`
