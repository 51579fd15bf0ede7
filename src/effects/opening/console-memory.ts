import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { aiswarmFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'

/** The state that consoles keep between runs, by part: each part reads only its own key. */
export type ConsoleMemory = Readonly<Record<string, unknown>>

/** The saved state; empty if the file is missing or unreadable. */
export const readConsoleMemory = (root: string): ConsoleMemory => {
  try {
    const kept: unknown = JSON.parse(readFileSync(consoleMemoryPath(root), 'utf8'))
    return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as ConsoleMemory) : {}
  } catch {
    // A console starts without it, and the next write replaces it.
    return {}
  }
}

/**
 * Writes the keys of `patch` and keeps all others in the file; a function receives the current content, so that two
 * consoles can both add to a list. The read and the write are synchronous: of two processes within the same
 * microseconds the later wins.
 */
export const writeConsoleMemory = (
  root: string,
  patch: ConsoleMemory | ((kept: ConsoleMemory) => ConsoleMemory),
): void => {
  const kept = readConsoleMemory(root)
  replaceFile(
    consoleMemoryPath(root),
    `${JSON.stringify({ ...kept, ...(typeof patch === 'function' ? patch(kept) : patch) }, null, 2)}\n`,
  )
}

/**
 * Renames a file that cannot be parsed, so that the next write does not replace it, and returns a sentence about it.
 */
export const setBrokenMemoryAside = (root: string): string | undefined => {
  const path = consoleMemoryPath(root)
  if (!existsSync(path)) return undefined
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined
  }
  renameSync(path, `${path}.broken`)
  return "The console's saved state for this project could not be read; it is kept as .aiswarm/console.json.broken."
}

const consoleMemoryPath = (root: string): string => join(aiswarmFolder(root), 'console.json')
