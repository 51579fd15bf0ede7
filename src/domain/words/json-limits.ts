// Limits of JSON from outside, checked before anything walks through it.

/** True if brackets outside of strings nest deeper than `limit`; checked without parsing, which would recurse. */
export const isDeeperThan = (limit: number, json: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > limit) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}

export const NUL = '\0'

/** The path to the first text with a NUL character, an object's keys included; undefined if there is none. */
export const placeOfNul = (value: unknown): readonly string[] | undefined => {
  if (typeof value === 'string') return value.includes(NUL) ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const place = key.includes(NUL) ? [] : placeOfNul(part)
    if (place) return [key, ...place]
  }
  return undefined
}
