import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../domain/refusal.ts'

// Git opens these files wherever it comes to them, and waits for ever at a pipe that an agent has put in the place of one.

const names = new Set(['.gitignore', '.gitattributes'])

/** Milliseconds after which the silence of git is looked into. */
const PATIENCE = 2000

/** By folder, the pipe at which git has waited in it. */
const known = new Map<string, string>()

/** Has git read the files of `folder`; where it waits at a pipe, `signal` ends it and the pipe is named. */
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

export const waiting = (path: string): Refusal => new Refusal('git_failed', `${path} is a pipe, a socket or a device, at which git would wait for ever; remove it.`)

const patience = (end: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    void end.then(() => clearTimeout(timer))
  })

/** Looks through all folders, as long as git is silent. */
const pipeIn = async (folder: string, answered: () => boolean): Promise<string | undefined> => {
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined && !answered(); at = folders.pop()) {
    // A folder that went meanwhile holds none.
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
