import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/** The built program, the result of `npm run build`. */
const main = resolve(import.meta.dirname, '../../dist/main.js')

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** Its output so far. */
  readonly said: () => string
  /** Resolves when it has ended and all its output was read. */
  readonly ended: Promise<Said>
}

/** Starts the built program on a repository, without a terminal; it ends with the test. */
export const start = (
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Running => {
  const child = spawn(process.execPath, [main, ...args, '--root', root], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece))
  const ended = once(child, 'close').then(([code]): Said => ({ code: code as number | null, out, err }))
  return { child, pid: child.pid!, said: () => out + err, ended }
}

/** Runs one command line to its end. */
export const aiswarm = (root: string, ...args: readonly string[]): Promise<Said> => start(root, args).ended

/** Like `aiswarm` with --json: the value that it printed. Throws the message of a refusal. */
export const answer = async <T>(root: string, ...args: readonly string[]): Promise<T> => {
  const { code, out, err } = await aiswarm(root, ...args, '--json')
  if (code !== 0) throw new Error(err || `exit code ${code}`)
  return JSON.parse(out) as T
}
