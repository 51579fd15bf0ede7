/** How much of the beginning and of the end of a message that is too long is looked at (bytes). */
export const ENDS = 4096

/**
 * The id of a message that was too long to be read, by its beginning and its end: clients write it before the parameters
 * or after them. Null where neither shows it.
 */
export const idNear = (start: string, end: string): string | number | null => idAtStart(start) ?? idAtEnd(end)

/** The first members of an object, as far as they are plain: a text, a number, a constant. */
const plain = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*,/y

const idAtStart = (text: string): string | number | null => {
  plain.lastIndex = /^\s*\{/.exec(text)?.[0].length ?? text.length
  for (let member = plain.exec(text); member; member = plain.exec(text)) if (valueOf(member[1]!) === 'id') return idOf(member[2]!)
  return null
}

/** Within the last braces, with nothing but plain members behind it. */
const idAtEnd = (text: string): string | number | null => {
  const [, id] = /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"\w+"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*)*\}\s*$/.exec(text) ?? []
  return id === undefined ? null : idOf(id)
}

const idOf = (text: string): string | number | null => {
  const value = valueOf(text)
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value)) ? value : null
}

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
