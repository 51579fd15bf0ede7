import { FormatError } from './format-error.ts'

/** The text of a file: without a byte order mark, lines ended by LF. Refuses what is no UTF-8, or holds NUL, with its line. */
export const decodeText = (bytes: Uint8Array, file: string): string => {
  const text = decoded(bytes, file).replace(/\r\n?/g, '\n')
  const nul = text.indexOf('\0')
  if (nul !== -1) throw new FormatError(file, lineAt(text, nul), 'there is a NUL character, so this is no text.')
  return text
}

const decoded = (bytes: Uint8Array, file: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const lenient = new TextDecoder().decode(bytes)
    throw new FormatError(file, lineAt(lenient, firstBroken(bytes, lenient)), 'there is a byte that is no UTF-8; write the file as UTF-8.')
  }
}

/** Where decoding first put the sign for something broken that was not written there. */
const firstBroken = (bytes: Uint8Array, lenient: string): number => {
  for (let at = lenient.indexOf('\ufffd'); at !== -1; at = lenient.indexOf('\ufffd', at + 1)) {
    const before = Buffer.byteLength(lenient.slice(0, at))
    if (!Buffer.from(bytes.subarray(before, before + 3)).equals(Buffer.from('\ufffd'))) return at
  }
  return 0
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
