declare const safe: unique symbol

/**
 * Text that is safe for a terminal: created only in this file, and the only string type that components accept for
 * foreign text.
 */
export type SafeText = string & { readonly [safe]: true }

/* oxlint-disable no-control-regex -- control characters are what this file is about */

// CSI, OSC/DCS/SOS/PM/APC with their strings up to BEL, ST or the end of the line, and two-byte escapes; also the 8-bit forms.
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g
// Colours and weights, without hidden text (8), blinking and fonts.
const colour =
  /^\u001b\[(?:(?:0?[0-4]|7|9|2[1-4]|27|29|[34][0-79]|9[0-7]|10[0-7]|[34]8[;:]5[;:]\d{1,3}|[34]8[;:]2(?:::?|;)\d{1,3}[;:]\d{1,3}[;:]\d{1,3})?(?:;(?=[0-9;m])|(?=m)))*m$/
/** No program needs a longer one. */
const LONGEST_COLOUR = 64
/** The most changes of colour in a line; they take no column, so truncation would not remove them. */
const MOST_COLOURS = 500
const controls = /[\u0000-\u001f\u007f-\u009f]/g
const hiddenControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
// All ignorable and format characters of Unicode (bidirectional controls, zero-width characters, tags, selectors), and
// line separators; of the selectors that turn a letter into an emoji only the second in a row.
const invisible =
  /(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]/gu
// More marks on one letter than any language uses: a terminal would draw them over neighbouring letters, and they take
// no column.
const flood = /(\p{M}{4})(\p{M}+)/gu
/** After a removed sequence they would combine with the previous piece. */
const marksInFront = /^\p{M}+/u
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/**
 * One line for display: without escape sequences, control characters and line breaks replaced by spaces, hidden
 * characters spelt out.
 */
export const safeText = (text: string): SafeText =>
  plain(text.replace(sequences, '')).replace(/ {2,}/g, ' ').trim() as SafeText

/** As `safeText`, but keeps runs of spaces and colours (SGR), closed at the end: for lines of logs and diffs. */
export const safeLine = (text: string): SafeText => {
  let colours = 0
  const pieces: string[] = []
  let at = 0
  for (const match of text.matchAll(sequences)) {
    pieces.push(behind(at, plain(text.slice(at, match.index))))
    at = match.index + match[0].length
    if (colours < MOST_COLOURS && match[0].length <= LONGEST_COLOUR && colour.test(match[0])) {
      pieces.push(match[0])
      colours++
    }
  }
  pieces.push(behind(at, plain(text.slice(at))))
  const line = pieces.join('').trimEnd()
  return (colours > 0 ? `${line}\u001b[0m` : line) as SafeText
}

/**
 * Several lines, each made safe. Line breaks of every kind end a line; after a carriage return only the last text is
 * kept.
 */
export const safeLines = (text: string): readonly SafeText[] =>
  text.split(/\r\n|\n|\u2028|\u2029/).map((line) => safeLine(afterReturn(line)))

/**
 * A text for a person's decision, line by line: nothing is dropped or joined, and characters that a terminal would hide
 * or obey are spelt out by their numbers. A shell runs the text before a carriage return, and the content of an escape
 * sequence.
 */
export const spelledOut = (text: string): readonly SafeText[] => text.split('\n').map((line) => spelt(line) as SafeText)

/**
 * The positions of characters, other than tabs and line endings, that are invisible unless spelt out; at most `most`.
 */
export const hiddenPlaces = (text: string, most: number): readonly number[] => {
  if (shown.test(text)) return []
  const places: number[] = []
  for (const kind of [hiddenControls, loneSurrogate, invisible]) {
    for (const match of text.matchAll(kind)) if (places.push(match.index) >= most) break
  }
  return places
}

/** Marks our own text as safe. Never for foreign text. */
export const ours = (text: string): SafeText => text as SafeText

const behind = (at: number, piece: string): string => (at === 0 ? piece : piece.replace(marksInFront, ''))

const afterReturn = (line: string): string => line.replace(/\r+$/, '').split('\r').at(-1) ?? ''

const shown = /^[\t\r\n\x20-\x7e]*$/

const number = (character: string): string =>
  `⟨${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`

const numbers = (characters: string): string => [...characters].map(number).join('')

const spelt = (line: string): string =>
  printable.test(line)
    ? line
    : line
        .replace(/\t/g, '    ')
        .replace(controls, number)
        .replace(loneSurrogate, number)
        .replace(invisible, number)
        .replace(flood, (_, kept: string, rest: string) => kept + numbers(rest))

const plain = (text: string): string =>
  printable.test(text)
    ? text
    : text
        .replace(/\t/g, '    ')
        .replace(controls, ' ')
        .replace(loneSurrogate, '\ufffd')
        .replace(invisible, number)
        .replace(flood, '$1…')

/** Most texts need no change. */
const printable = /^[\x20-\x7e]*$/
