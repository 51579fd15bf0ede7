import { type FileHandle, open } from 'node:fs/promises'

// Reads lines of an output file around a byte offset, without reading the rest: an output may have gigabytes.

/** The bytes that are read at a time: enough for several screens, little enough to be parsed between two frames. */
const WINDOW = 64 * 1024

/** A longer line is not a message of a CLI (bytes). */
const LONGEST_LINE = 4 * 1024 * 1024

/** A line without its line break; `text` is undefined if the line is too long to read. */
export interface LineAt {
  readonly offset: number
  readonly bytes: number
  readonly text: string | undefined
}

/** The lines between two offsets; `from` and `to` are where the next reads in both directions begin. */
export interface LineWindow {
  readonly lines: readonly LineAt[]
  readonly from: number
  readonly to: number
  readonly size: number
}

/** A missing file counts as empty. */
export const withFile = async <T>(
  path: string,
  use: (file: FileHandle, size: number) => Promise<T>,
  none: T,
): Promise<T> => {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none
    throw error
  }
  try {
    return await use(file, (await file.stat()).size)
  } finally {
    await file.close()
  }
}

/** Complete lines from `start` on; with `flush` also an incomplete last line before `until`. */
export const linesAfter = async (
  file: FileHandle,
  start: number,
  until: number,
  flush: boolean,
): Promise<LineWindow> => {
  const lines: LineAt[] = []
  let at = start
  let window = WINDOW
  while (lines.length === 0 && at < until) {
    const bytes = await readAt(file, at, Math.min(window, until - at))
    if (bytes.length === 0) break
    const end = bytes.lastIndexOf(10) + 1
    if (end > 0) {
      lines.push(...split(bytes.subarray(0, end), at))
      at += end
    } else if (at + bytes.length >= until) {
      if (flush) lines.push({ offset: at, bytes: bytes.length, text: bytes.toString('utf8') })
      if (flush) at = until
      break
    } else if (window < LONGEST_LINE) window *= 4
    else {
      const next = await lineBreakAfter(file, at + bytes.length, until)
      if (next === undefined && !flush) break
      const to = next ?? until
      lines.push({ offset: at, bytes: to - at, text: undefined })
      at = to
    }
  }
  return { lines, from: start, to: at, size: until }
}

/** Complete lines that end at or before `end`, which is the start of a line. */
export const linesBefore = async (file: FileHandle, begin: number, end: number): Promise<LineWindow> => {
  let window = WINDOW
  for (;;) {
    const start = Math.max(begin, end - window)
    const bytes = await readAt(file, start, end - start)
    // The line that begins before the window belongs to the next one.
    const first = start === begin ? 0 : bytes.subarray(0, bytes.length - 1).indexOf(10) + 1
    if (first > 0 || start === begin)
      return { lines: split(bytes.subarray(first), start + first), from: start + first, to: end, size: end }
    if (window >= LONGEST_LINE) {
      const from = await lineBreakBefore(file, begin, start)
      return { lines: [{ offset: from, bytes: end - from, text: undefined }], from, to: end, size: end }
    }
    window *= 4
  }
}

/** The offset after the last line break in the file before `end`. */
export const lastLineEnd = (file: FileHandle, begin: number, end: number): Promise<number> =>
  lineBreakBefore(file, begin, end)

const split = (bytes: Buffer, offset: number): LineAt[] => {
  const lines: LineAt[] = []
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(10, at)
    const end = found === -1 ? bytes.length : found
    lines.push({ offset: offset + at, bytes: end + 1 - at, text: bytes.toString('utf8', at, end) })
    at = end + 1
  }
  return lines
}

const lineBreakAfter = async (file: FileHandle, from: number, until: number): Promise<number | undefined> => {
  for (let at = from; at < until; at += LONGEST_LINE) {
    const found = (await readAt(file, at, Math.min(LONGEST_LINE, until - at))).indexOf(10)
    if (found !== -1) return at + found + 1
  }
  return undefined
}

const lineBreakBefore = async (file: FileHandle, begin: number, end: number): Promise<number> => {
  for (let to = end, window = WINDOW; to > begin; window = LONGEST_LINE) {
    const from = Math.max(begin, to - window)
    const found = (await readAt(file, from, to - from)).lastIndexOf(10)
    if (found !== -1) return from + found + 1
    to = from
  }
  return begin
}

const readAt = async (file: FileHandle, at: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return buffer.subarray(0, read)
}
