// Letters of several scripts inside one name, as UTS 39 ("highly restrictive") sees them: a Cyrillic `а` in a Latin word
// is another name that reads the same. Which letters belong to which script is Unicode's own data.

/** Scripts in which languages of today are written; a letter of another one is recognised by its block of 256. */
const scripts = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Devanagari', 'Bengali'],
  ...['Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan'],
  ...['Myanmar', 'Georgian', 'Hangul', 'Ethiopic', 'Cherokee', 'Canadian_Aboriginal', 'Khmer', 'Mongolian', 'Hiragana'],
  ...['Katakana', 'Bopomofo', 'Han', 'Yi', 'Coptic', 'Lisu', 'Tifinagh', 'Glagolitic', 'Gothic', 'Deseret', 'Vai'],
]

type Script = string

/** Writing systems that use several scripts. */
const systems: Readonly<Record<string, readonly Script[]>> = {
  Japanese: ['Han', 'Hiragana', 'Katakana'],
  Korean: ['Hangul', 'Han'],
  'Chinese with Bopomofo': ['Han', 'Bopomofo'],
}

const patterns = scripts.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')] as const)
const shared = /[\p{Script_Extensions=Common}\p{Script_Extensions=Inherited}]/u

/** The scripts and systems of which a character may be a part; undefined if it is shared by all. */
const scriptsOf = (character: string): ReadonlySet<Script> | undefined => {
  const known = seen.get(character)
  if (known !== undefined || seen.has(character)) return known
  const found = shared.test(character) ? undefined : new Set<Script>(namesOf(character))
  for (const [system, parts] of Object.entries(systems)) if (parts.some((part) => found?.has(part))) found!.add(system)
  if (seen.size > MOST) seen.clear()
  seen.set(character, found)
  return found
}

const namesOf = (character: string): readonly Script[] => {
  const names = patterns.filter(([, pattern]) => pattern.test(character)).map(([script]) => script)
  return names.length > 0 ? names : [`block ${(character.codePointAt(0)! >> 8).toString(16).toUpperCase()}00`]
}

/** Characters whose scripts are remembered. */
const MOST = 10_000
const seen = new Map<string, ReadonlySet<Script> | undefined>()

const names = /[\p{L}\p{M}\p{N}\p{Pc}$]+/gu
// oxlint-disable-next-line no-control-regex -- the seven bits of ASCII
const ascii = /^[\u0000-\u007f]*$/

/** A name with letters of several scripts, and where it begins in its text. */
export interface MixedName {
  readonly name: string
  readonly at: number
  readonly scripts: readonly string[]
}

/** The names in a text that no writing system writes so, at most `most`. Latin goes with Japanese, Korean and Chinese. */
export const mixedNames = (text: string, most: number): readonly MixedName[] => {
  if (ascii.test(text)) return []
  const found: MixedName[] = []
  for (const { 0: name, index: at } of text.matchAll(names)) {
    if (ascii.test(name)) continue
    const mixed = mixedScripts(name)
    if (mixed.length > 0 && found.push({ name, at, scripts: mixed }) >= most) break
  }
  return found
}

const mixedScripts = (name: string): readonly string[] => {
  const letters = [...name].flatMap((character) => scriptsOf(character) ?? [])
  const isLatin = (one: ReadonlySet<Script>): boolean => one.has('Latin')
  const others = letters.filter((one) => !isLatin(one))
  const common = [...(others[0] ?? [])].filter((script) => others.every((one) => one.has(script)))
  const hasLatin = others.length < letters.length
  const isWriting = hasLatin ? common.some((script) => script in systems) : common.length > 0
  if (others.length === 0 || isWriting) return []
  const parts = letters.map((one) => [...one].find((script) => !(script in systems))!)
  return [...new Set(parts)].slice(0, 4)
}
