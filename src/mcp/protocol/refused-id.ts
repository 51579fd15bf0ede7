/** The length of the beginning and the end of an oversized message that are searched (bytes). */
export const ENDS = 4096

/**
 * The id of an oversized message, from its beginning and its end: clients write it before the parameters or after them.
 * Null if neither has it.
 */
export const idNear = (start: string, end: string): string | number | null => idAtStart(start) ?? idAtEnd(end)

/** The first members of an object, as long as they are simple: a text, a number, a constant. */
const plain = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*,/y

const idAtStart = (text: string): string | number | null => {
  plain.lastIndex = /^\s*\{/.exec(text)?.[0].length ?? text.length
  for (let member = plain.exec(text); member; member = plain.exec(text))
    if (valueOf(member[1]!) === 'id') return parsedId(member[2]!)
  return null
}

/** In the last braces, followed only by simple members. */
const idAtEnd = (text: string): string | number | null => {
  const [, id] =
    /[,{]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"\w+"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*)*\}\s*$/.exec(text) ?? []
  return id === undefined ? null : parsedId(id)
}

const parsedId = (text: string): string | number | null => {
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
