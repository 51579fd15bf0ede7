import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** Absolute path of a program, looked up as a shell does; undefined if there is no executable one. */
export const which = (program: string, cwd: string, path: string): string | undefined => {
  const candidates = program.includes('/')
    ? [isAbsolute(program) ? program : resolve(cwd, program)]
    : path
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, program))
  return candidates.find(isProgram)
}

const isProgram = (path: string): boolean => {
  try {
    // Most candidates are missing, and an exception for each would take most of the time of the search.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
