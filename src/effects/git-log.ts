import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { aiswarmFolder, logsFolder } from './places.ts'

// Every git command that aiswarm ran, a line each in .aiswarm/logs/git.jsonl; the console shows it.

const command = z.object({
  at: z.string(),
  folder: z.string(),
  argv: z.array(z.string()),
  /** Null when it was ended. */
  exitCode: z.int().nullable(),
  ms: z.number(),
  /** Bytes on standard output. */
  bytes: z.int(),
  /** What it said on standard error, cut. */
  said: z.string(),
})
export type GitCommand = z.output<typeof command>

/** From this size on (bytes) the file is put aside and begun anew; one older one is kept. */
const FULL = 4 * 1024 * 1024

/** Longest argument and message that are kept whole. */
const LONG = 400
/** Most arguments: a command may be given each path of a worktree. */
const MANY = 100

let started = 0

/** How many git processes this process has started. */
export const gitProcesses = (): number => started

export const recordGit = (root: string | undefined, entry: GitCommand): void => {
  started++
  if (root === undefined || !existsSync(aiswarmFolder(root))) return
  const path = gitLogPath(root)
  const line = { ...entry, argv: beginningOf(entry.argv).map((arg) => cut(arg)), said: cut(entry.said) }
  try {
    mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > FULL) renameSync(path, `${path}.1`)
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  } catch {
    // A log that cannot be written keeps no work from being done.
  }
}

/** The last commands, oldest first; what is no line of ours is left out. */
export const readGitLog = (root: string, limit = 500): readonly GitCommand[] => {
  const lines = [`${gitLogPath(root)}.1`, gitLogPath(root)].flatMap((path) => endOf(path).split('\n'))
  return lines.slice(-limit - 1).flatMap((line) => {
    const parsed = command.safeParse(jsonOf(line))
    return parsed.success ? [parsed.data] : []
  })
}

/** What stands in a file of ours; of one that something else made longer, the end. */
const endOf = (path: string): string => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return ''
  const bytes = Buffer.alloc(Math.min(size, 2 * FULL))
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, size - bytes.length)).toString()
  } finally {
    closeSync(file)
  }
}

export const gitLogPath = (root: string): string => join(logsFolder(root), 'git.jsonl')

const beginningOf = (argv: readonly string[]): readonly string[] => (argv.length > MANY ? [...argv.slice(0, MANY), '…'] : argv)

const cut = (text: string): string => (text.length > LONG ? `${text.slice(0, LONG)}…` : text)

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
