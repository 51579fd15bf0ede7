/**
 * The score of a text for a typed query; undefined if it does not match. Every typed word must be in one of the texts,
 * with its letters in order; whole words, beginnings of words and adjacent letters score higher, and so does the first
 * text, the name, compared with the others.
 */
export const fuzzyScore = (typed: string, [name, ...rest]: readonly [string, ...string[]]): number | undefined => {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  let sum = name.toLowerCase() === words.join(' ') ? 1000 : 0
  for (const word of words) {
    const inName = scoreIn(word, name.toLowerCase(), true)
    const best = Math.max(
      inName === undefined ? -Infinity : inName * 3,
      ...rest.map((text) => scoreIn(word, text.toLowerCase(), false) ?? -Infinity),
    )
    if (best === -Infinity) return undefined
    sum += best
  }
  return sum
}

/** Separated letters count in a name only, because a long sentence contains nearly all letters. */
const scoreIn = (word: string, text: string, apart: boolean): number | undefined => {
  const whole = text.indexOf(word)
  if (whole !== -1) {
    const begins = whole === 0 || !isLetter(text[whole - 1]!)
    const ends = whole + word.length === text.length || !isLetter(text[whole + word.length]!)
    return 40 + (begins ? 30 : 0) + (begins && ends ? 20 : 0) - Math.min(20, whole / 4)
  }
  if (!apart) return undefined
  let score = 0
  let at = -1
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return undefined
    score += next === at + 1 ? 4 : next === 0 || !isLetter(text[next - 1]!) ? 5 : 0
    at = next
  }
  return score - at / 4
}

const isLetter = (character: string): boolean => /[a-z0-9]/.test(character)
