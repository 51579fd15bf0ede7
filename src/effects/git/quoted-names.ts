const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** Decodes a name that git has quoted; bytes that are not UTF-8 are spelt as numbers. */
export const unquoted = (name: string): string => {
  if (!name.startsWith('"')) return name
  const bytes: number[] = []
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0))
    else bytes.push(...Buffer.from(plain!))
  }
  return decodedName(Buffer.from(bytes))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A name as text; bytes that are not UTF-8 are spelt as numbers. */
export const decodedName = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    return piecewise(bytes)
  }
}

/** Decodes character by character; an invalid byte becomes its number. */
const piecewise = (bytes: Buffer): string => {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((n) => at + n <= bytes.length && isCharacter(bytes.subarray(at, at + n)))
    text +=
      length === undefined
        ? `⟨${bytes[at]!.toString(16).toUpperCase().padStart(2, '0')}⟩`
        : utf8.decode(bytes.subarray(at, at + length))
    at += length ?? 1
  }
  return text
}

const isCharacter = (bytes: Buffer): boolean => {
  try {
    return [...utf8.decode(bytes)].length === 1
  } catch {
    return false
  }
}
