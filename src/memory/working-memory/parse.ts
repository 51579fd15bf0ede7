import { withExactNumbers } from '../exact-json.ts'
import { decodeText } from '../session-files/decode.ts'
import { FormatError } from '../session-files/format-error.ts'
import { lineAt, placeOf, scanJson } from './json-scan.ts'
import { workingMemory, type WorkingMemory } from './memory.ts'

/** The limit exceeds 460 entries with texts of 10,000 characters, each written with six bytes at worst. */
export const LARGEST_MEMORY = 64 * 1024 * 1024

/** Parses a memory file. Throws a `FormatError` with file and line. */
export const parseMemory = (bytes: Uint8Array, file: string): WorkingMemory => {
  const text = decodeText(bytes, file, LARGEST_MEMORY)
  const fault = text.trim() === '' ? { offset: 0, problem: 'the file is empty' } : scanJson(text)
  if (fault) throw new FormatError(file, lineAt(text, fault.offset), `${fault.problem}.`)
  const value = withExactNumbers(JSON.parse(text), text)
  const result = workingMemory.safeParse(value)
  // Not zod's copy, which puts known keys first.
  if (result.success) return value as WorkingMemory
  const issue = result.error.issues[0]!
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  throw new FormatError(
    file,
    lineAt(text, placeOf(text, path)),
    `${path.length === 0 ? 'the file' : path.join('.')}: ${issue.message}.`,
  )
}
