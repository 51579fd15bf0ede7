/** A file's name for people, from its bytes (one character per byte): valid UTF-8 as text, other bytes as ⟨FF⟩. */
export const fileName = (bytes: string): string => {
  const raw = Buffer.from(bytes, 'latin1')
  const text = raw.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(raw)) return text
  return [...bytes]
    .map((character) => (character < '\u0080' ? character : `⟨${character.charCodeAt(0).toString(16).toUpperCase()}⟩`))
    .join('')
}
