import { codeSpan, indented, isNone, leadingCode, manyLines, oneLine } from './values.ts'

export interface ResultPath {
  readonly path: string
  /** NEW, MODIFIED, …: one line without brackets. */
  readonly change: string | null
  readonly note: string | null
}

export interface ResultCriterion {
  /** One line, without a final `(NOT DONE)`. */
  readonly text: string
  /** Always false if there is a note. */
  readonly met: boolean
  /** The text in the brackets after it: `NOT DONE`, or a longer text that begins so. */
  readonly note: string | null
}

/** `` `path` (NEW) - note ``; a path without blanks needs no backticks. Undefined for anything else. */
export const readPath = (text: string): ResultPath | undefined => {
  const bold = text.replace(/^\*\*(?=`)/, '')
  const code = leadingCode(bold) ?? bareWord(bold)
  if (!code || code.code === '') return undefined
  const match = /^(?:\*\*)?\s*(?:\(([^()\n]*)\))?\s*(?:[-–—:](?:\s+(.*))?)?$/s.exec(code.rest.trimEnd())
  return match
    ? { path: code.code, change: oneLine(match[1] ?? '') || null, note: manyLines(match[2] ?? '') || null }
    : undefined
}

/** A text without blanks but with a dot or a slash counts as a path; so does a single word. */
const bareWord = (text: string): { readonly code: string; readonly rest: string } | undefined => {
  const word = /^[^\s`()*]+/.exec(text)?.[0].replace(/:$/, '')
  if (word === undefined || isNone(word) || (!/[./\\]/.test(word) && word !== text)) return undefined
  return { code: word, rest: text.slice(word.length) }
}

export const renderPath = ({ path, change, note }: ResultPath): string => {
  const brackets = change === null ? '' : oneLine(change.replace(/[()]/g, ' '))
  const said = note === null ? '' : manyLines(note)
  return `- ${codeSpan(oneLine(path))}${brackets === '' ? '' : ` (${brackets})`}${said === '' ? '' : ` - ${indented(said)}`}`
}

/** `[x] text` or `[ ] text (NOT DONE)`; undefined for a bullet without a box. */
export const readCriterion = (item: string): ResultCriterion | undefined => {
  const match = /^\[([ xX])\]\s+(.*)$/s.exec(item)
  if (!match) return undefined
  const text = oneLine(match[2]!)
  const note = /\((NOT DONE[^()]*)\)$/i.exec(text)
  const before = note ? text.slice(0, note.index).trimEnd() : ''
  return note && before !== ''
    ? { text: before, met: false, note: oneLine(note[1]!) }
    : { text, met: match[1] !== ' ', note: null }
}

export const renderCriterion = ({ text, met, note }: ResultCriterion): string =>
  `- [${met ? 'x' : ' '}] ${oneLine(text)}${note === null ? '' : ` (${oneLine(note)})`}`
