import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'

/** The absolute path of git, looked up once. Relative folders in PATH are ignored. */
export const gitBinary = (): string => {
  binary ??= (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'git'))
    .find(isExecutable)
  if (binary === undefined) throw new Refusal('git_missing', 'git was not found on PATH; install git 2.38 or newer.')
  return binary
}

let binary: string | undefined

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
