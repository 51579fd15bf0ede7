import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { aiswarmFolder, logsFolder } from '../files/paths.ts'

// Records every git command that aiswarm runs, one line each, in .aiswarm/logs/git.jsonl; the console shows it.

const command = z.object({
  at: z.string(),
  folder: z.string(),
  argv: z.array(z.string()),
  /** Null when it was killed. */
  exitCode: z.int().nullable(),
  ms: z.number(),
  /** Bytes on standard output. */
  bytes: z.int(),
  /** Its standard error, truncated. */
  said: z.string(),
})
type GitCommand = z.output<typeof command>

let started = 0

/** The number of git processes that this process has started. */
export const gitProcesses = (): number => started

/** The size at which the log is rotated (bytes); one older file is kept. */
const FULL = 4 * 1024 * 1024

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
    // A log that cannot be written must not block work.
  }
}

/** The last commands, oldest first; lines of another format are skipped. */
export const readGitLog = (root: string, limit = 500): readonly GitCommand[] => {
  const lines = [`${gitLogPath(root)}.1`, gitLogPath(root)].flatMap((path) => endOf(path).split('\n'))
  return lines.slice(-limit - 1).flatMap((line) => {
    const parsed = command.safeParse(jsonOf(line))
    return parsed.success ? [parsed.data] : []
  })
}

/** The text of a log file; of a file that another program has enlarged, its end. */
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

/** The longest argument and message that are kept whole (characters). */
const LONG = 400
/** Limit of arguments, because a command may receive every path of a worktree. */
const MANY = 100

const beginningOf = (argv: readonly string[]): readonly string[] =>
  argv.length > MANY ? [...argv.slice(0, MANY), '…'] : argv

const cut = (text: string): string => (text.length > LONG ? `${text.slice(0, LONG)}…` : text)

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
