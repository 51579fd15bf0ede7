/**
 * Texts in which every character takes one column, whatever is beside it: ASCII, Latin letters, and the marks, borders
 * and blocks that the console draws. Characters that may be emoji, combine or be wide are excluded.
 */
export const narrow =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2319\u2500-\u25fc\u2600-\u2612\u2690-\u2692\u26a0\u2701-\u2704\u2706-\u2709\u270c-\u2727\u27e6-\u27ef\u2800-\u28ff]*$/

/** Columns of a text that is narrow except for its colours; undefined for every other. */
export const narrowWidth = (text: string): number | undefined => {
  const bare = text.includes('\u001b') ? text.replace(styles, '') : text
  return narrow.test(bare) ? bare.length : undefined
}

/**
 * True if all styles of a text end within it, so that its appearance does not depend on the text before it and does not
 * affect the text after it.
 */
export const endsItsStyles = (text: string): boolean => {
  if (!text.includes('\u001b')) return true
  const open = new Set<number>()
  for (const [, codes] of text.matchAll(styles)) {
    const [code, ...parameters] = codes!.split(';').map(Number)
    const end = endOf(code!)
    if (end === undefined || parameters.length !== parametersOf(code!, parameters[0])) return false
    // A code that ends no style of the text would end the style in which the text is painted.
    if (end === code && !open.delete(code)) return false
    if (end !== code) open.add(end)
  }
  return open.size === 0
}

// oxlint-disable-next-line no-control-regex -- colour sequences are what is looked for
const styles = /\u001b\[([0-9;]*)m/g

/** The code (ECMA-48, SGR) that ends this one's style, itself for an ending code; undefined for every other. */
const endOf = (code: number): number | undefined => {
  if (code === 1 || code === 2 || code === 22) return 22
  if ((code >= 3 && code <= 4) || (code >= 7 && code <= 9)) return code + 20
  if ((code >= 23 && code <= 24) || (code >= 27 && code <= 29)) return code
  if ((code >= 30 && code <= 39) || (code >= 90 && code <= 97)) return 39
  return (code >= 40 && code <= 49) || (code >= 100 && code <= 107) ? 49 : undefined
}

/**
 * The number of parameters after this one in a sequence for one style: a colour of 256 (5) or an RGB colour (2) has
 * more.
 */
const parametersOf = (code: number, kind: number | undefined): number =>
  code !== 38 && code !== 48 ? 0 : kind === 5 ? 2 : 4
