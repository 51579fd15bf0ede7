import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { binFolder } from '../files/paths.ts'

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

/**
 * How long an answer is cached (ms): a program installed later is found after that, and a board of thousands of tasks
 * checks once.
 */
const BELIEVED = 10_000

/**
 * The reason why the program of a kind cannot be started: it is not on its agents' PATH. Undefined if it is there, or
 * if that is unknown. Starts no process.
 */
export const missingPrograms = (
  root: string,
  settings: Settings,
  kinds: ReadonlyMap<string, AgentKind>,
  clock = (): number => performance.now(),
) => {
  const known = new Map<string, { readonly at: number; readonly why: string | undefined }>()
  const look = (name: string): string | undefined => {
    const configured = settings.agents.kinds[name]
    const own = configured?.command[0]
    const program = kinds.get(name)?.program
    const binary = own ?? program?.binary
    // A relative path depends on the task's worktree.
    if (binary === undefined || binary.includes('{') || (binary.includes('/') && !binary.startsWith('/')))
      return undefined
    const path = configured?.env['PATH'] ?? `${binFolder(root)}${delimiter}${process.env['PATH'] ?? ''}`
    if (which(binary, root, path) !== undefined) return undefined
    return own === undefined
      ? `the program '${binary}' of the agent kind '${name}' is not installed; 'npm install --global ${program!.package}' installs it`
      : `the program '${binary}' of the agent kind '${name}' was not found; install it, or change agents.kinds.${name}.command in .aiswarm/config.yaml`
  }
  return (name: string): string | undefined => {
    const before = known.get(name)
    if (before !== undefined && clock() - before.at < BELIEVED) return before.why
    const why = look(name)
    known.set(name, { at: clock(), why })
    return why
  }
}
