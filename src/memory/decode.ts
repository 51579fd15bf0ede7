import { FormatError } from './format-error.ts'

/** The limit of a file that an agent writes (bytes). */
export const LARGEST_FILE = 1024 * 1024

/**
 * The text of a file without a byte order mark and with LF line endings. Refuses files with more than `largest` bytes,
 * invalid UTF-8 or NUL, with the line.
 */
export const decodeText = (bytes: Uint8Array, file: string, largest = LARGEST_FILE): string => {
  if (bytes.length > largest)
    throw new FormatError(file, 1, `the file has ${bytes.length} bytes, and at most ${largest} are read; shorten it.`)
  const text = utf8(bytes, file)
  const nul = text.indexOf('\0')
  if (nul !== -1) throw new FormatError(file, lineAt(text, nul), 'there is a NUL character, so this is not text.')
  return text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
}

/** Decodes all bytes unchanged. Refuses invalid UTF-8, with the line. */
export const utf8 = (bytes: Uint8Array, file: string): string => {
  try {
    return decoder().decode(bytes)
  } catch {
    throw new FormatError(file, firstBrokenLine(bytes), 'there is a byte that is not UTF-8; write the file as UTF-8.')
  }
}

const decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** No multi-byte character contains a line break, so each line can be decoded separately. */
const firstBrokenLine = (bytes: Uint8Array): number => {
  const strict = decoder()
  let line = 1
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start)
    const stop = end === -1 ? bytes.length : end
    try {
      strict.decode(bytes.subarray(start, stop))
    } catch {
      return line
    }
    start = stop + 1
  }
  return 1
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n?|\n/).length
