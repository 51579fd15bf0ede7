import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { aiswarmFolder } from './places.ts'
import { replaceFile } from './replace-file.ts'

/** What consoles keep for the person who sits at them, by part: each part reads its own key, and makes no sense of the others. */
export type ConsoleMemory = Readonly<Record<string, unknown>>

/** What was kept last; nothing where there is no such file, or none that can be read. */
export const readConsoleMemory = (root: string): ConsoleMemory => {
  try {
    const kept: unknown = JSON.parse(readFileSync(consoleMemoryPath(root), 'utf8'))
    return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as ConsoleMemory) : {}
  } catch {
    // Comfort only: a console starts without it, and the next thing that is kept replaces it.
    return {}
  }
}

/**
 * Keeps the keys of `patch` and leaves all others as they are in the file now; a function is given what is there, so that
 * a list grows by what two consoles add to it. Read and replaced in one turn: of two writers in the very same
 * microseconds the later wins.
 */
export const writeConsoleMemory = (root: string, patch: ConsoleMemory | ((kept: ConsoleMemory) => ConsoleMemory)): void => {
  const kept = readConsoleMemory(root)
  replaceFile(consoleMemoryPath(root), `${JSON.stringify({ ...kept, ...(typeof patch === 'function' ? patch(kept) : patch) }, null, 2)}\n`)
}

/** Puts a file that cannot be read aside, so that what is kept next does not replace it; gives the sentence that says so. */
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
  return 'What the console remembered of this project could not be read; it is kept as .aiswarm/console.json.broken.'
}

const consoleMemoryPath = (root: string): string => join(aiswarmFolder(root), 'console.json')
