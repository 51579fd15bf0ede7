import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'

// Git opens these files wherever it finds them, and blocks forever on a pipe that an agent has put in the place of one.

const names = new Set(['.gitignore', '.gitattributes'])

/** Milliseconds without output after which git is checked. */
const PATIENCE = 2000

/** By folder, the pipe on which git has blocked. */
const known = new Map<string, string>()

/** Runs a git command in `folder`; if git blocks on a pipe, `signal` kills it and the refusal names the pipe. */
export const unlessPiped = async <T>(folder: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const before = known.get(folder)
  if (before !== undefined && isSpecial(before)) throw waiting(before)
  known.delete(folder)
  const stop = new AbortController()
  const answer = ask(stop.signal)
  let answered = false
  const end = answer.then(
    () => void (answered = true),
    () => void (answered = true),
  )
  await Promise.race([end, patience(end)])
  const pipe = answered ? undefined : await pipeIn(folder, () => answered)
  if (pipe === undefined) return answer
  known.set(folder, pipe)
  stop.abort()
  throw waiting(pipe)
}

export const waiting = (path: string): Refusal =>
  new Refusal('git_failed', `${path} is a pipe, a socket or a device, for which git would wait forever; remove it.`)

const patience = (end: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    void end.then(() => clearTimeout(timer))
  })

/** Searches all folders while git produces no output. */
const pipeIn = async (folder: string, answered: () => boolean): Promise<string | undefined> => {
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined && !answered(); at = folders.pop()) {
    // A deleted folder contains no pipe.
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name)
      if (names.has(entry.name) && isSpecial(path)) return path
      if (entry.isDirectory() && entry.name !== '.git') folders.push(path)
    }
  }
  return undefined
}

const isSpecial = (path: string): boolean => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()
}
