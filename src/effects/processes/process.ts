import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { execa } from 'execa'
import { boundLog } from '../files/bounded-log.ts'
import { ownEnvironment } from './environment.ts'
import { makeLifeLine, shim } from './shim.ts'
import { sessionRuns } from './table.ts'
import { comesTrue, signalGroup } from './signals.ts'

// The only place that starts processes.

export interface DetachedStart {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** The file for standard input; null for an empty one. */
  readonly stdin: string | null
  /** The file to which both output streams are appended. */
  readonly output: string
  readonly pidFile: string
  readonly exitFile: string
  /** The pipe that proves that it lives. */
  readonly lifeLine?: string
  /** Known only to the shim, which ends the exit record with it. */
  readonly seal: string
  /** The key of a journal, if the program is the relay that reads it: it gets the key as its standard input. */
  readonly journalKey?: string
}

/**
 * Starts a process in a separate session, which outlives this process. The pid file tells whether it claimed the run.
 */
export const startDetached = async ({
  argv,
  cwd,
  environment,
  stdin,
  output,
  pidFile,
  exitFile,
  lifeLine,
  seal,
  journalKey,
}: DetachedStart): Promise<void> => {
  if (lifeLine !== undefined) makeLifeLine(lifeLine)
  const subprocess = execa(
    '/bin/sh',
    [
      '-c',
      shim,
      'aiswarm-shim',
      pidFile,
      exitFile,
      lifeLine ?? '',
      journalKey === undefined ? (stdin ?? '/dev/null') : '',
      output,
      ...argv,
    ],
    {
      cwd,
      env: { ...environment },
      extendEnv: false,
      detached: true,
      cleanup: false,
      reject: false,
      buffer: false,
      input: `${seal} ${journalKey ?? ''}\n`,
      stdout: 'ignore',
      stderr: 'ignore',
    },
  )
  const child = subprocess.nodeChildProcess
  if (child.pid === undefined) {
    const { originalMessage, code } = await subprocess
    // The full message repeats the whole command line.
    throw Object.assign(new Error(originalMessage ?? 'the process could not be started'), { code })
  }
  child.unref()
}

interface CommandOptions {
  readonly cwd: string
  readonly base?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  readonly output: string
  /** Milliseconds. */
  readonly timeout: number
  /** Words before those of the shell, which start it inside a sandbox. */
  readonly inside?: readonly string[]
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly timedOut: boolean
}

/** Limit of the kept output of a command in the configuration (bytes). */
const LONGEST_LOG = 64 * 1024 ** 2

/** A timer of more than 24 days would fire at once (ms). */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Runs a shell command of the configuration to its end; both output streams go to the file `output`, and `input` is its
 * standard input. `base` is its share of our environment: everything for a person's command, less for a branch's code.
 */
export const runCommand = async (
  command: string,
  { cwd, base = ownEnvironment(), environment = {}, input, output, timeout, inside = [] }: CommandOptions,
): Promise<CommandEnd> => {
  // The output is opened outside: its file is hidden inside a sandbox.
  const words = inside.length === 0 ? [] : ['/bin/sh', '-c', 'exec >> "$0" 2>&1; exec "$@"', output, ...inside]
  const shell = ['/bin/sh', '-c', inside.length === 0 ? `exec >> "$1" 2>&1; ${command}` : command, 'sh', output]
  const [program, ...args] = [...words, ...shell]
  const child = execa(program!, args, {
    cwd,
    env: { ...base, ...environment },
    extendEnv: false,
    reject: false,
    detached: true,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    stdout: 'ignore',
    stderr: 'ignore',
  })
  let timedOut = false
  const timer = setTimeout(
    () => {
      timedOut = true
      // Kills the group, because a shell's children would continue.
      signalGroup(child.pid, 'SIGKILL')
    },
    Math.min(timeout, LONGEST_TIMER),
  )
  const bounding = setInterval(() => void boundLog(output, { most: LONGEST_LOG }), 1000)
  const { exitCode } = await child
  clearInterval(bounding)
  boundLog(output, { most: LONGEST_LOG })
  clearTimeout(timer)
  // The shell dies first; its children would still be found in the folder without a sign of their owner.
  if (timedOut && child.pid !== undefined) await comesTrue(() => !sessionRuns(child.pid!), 2000)
  return { exitCode: exitCode ?? null, timedOut }
}

/** Runs a program to its end, at most `timeout` ms, and returns its exit code with both output streams. */
export const trial = async (
  [program, ...args]: readonly string[],
  timeout: number,
): Promise<{ readonly exitCode: number | null; readonly output: string }> => {
  const { exitCode, all } = await execa(program!, args, {
    cwd: '/',
    env: ownEnvironment(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: true,
    timeout,
    maxBuffer: 100_000,
  })
  return { exitCode: exitCode ?? null, output: all }
}

/** The output of a program without standard input; undefined if it fails or takes longer than `timeout` ms. */
export const outputOf = async (
  program: string,
  args: readonly string[],
  where: { cwd: string; timeout: number },
): Promise<string | undefined> => (await outputInTime(program, args, where)).output

/** As `outputOf`; `late` if it did not end within `timeout` ms. */
export const outputInTime = async (
  program: string,
  args: readonly string[],
  { cwd, timeout }: { cwd: string; timeout: number },
): Promise<{ readonly output: string | undefined; readonly late: boolean }> => {
  const { stdout, failed, timedOut } = await execa(program, [...args], {
    cwd,
    env: ownEnvironment(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout,
    forceKillAfterDelay: 1000,
    maxBuffer: 100_000,
  })
  return { output: failed ? undefined : stdout, late: timedOut }
}

export interface PipedProgram {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Its standard input; only of the first. */
  readonly input?: string
}

interface PipedEnd {
  readonly exitCode: number | null
  /** Its standard output, at most 1 MB; empty of the first. */
  readonly output: string
  /** The begin of its error stream, at most 64 kB. */
  readonly said: string
}

export interface Piped {
  readonly first: PipedEnd
  readonly second: PipedEnd
  /** What went through the pipe (bytes). */
  readonly bytes: number
  /** Why both were ended, if they were. */
  readonly cut: 'too much' | 'too long' | undefined
}

/**
 * Runs two programs, of which the second reads what the first prints, to the ends of all their streams. Both are killed
 * when more than `most` bytes went through, or after `timeout` ms.
 */
export const pipeInto = async (
  first: PipedProgram,
  second: PipedProgram,
  { most, timeout }: { readonly most: number; readonly timeout: number },
): Promise<Piped> => {
  const [from, to] = [first, second].map(({ argv: [program, ...args], cwd, environment }) =>
    spawn(program!, args, { cwd, env: { ...environment }, stdio: 'pipe' }),
  ) as [ChildProcessWithoutNullStreams, ChildProcessWithoutNullStreams]
  let [bytes, cut]: [number, Piped['cut']] = [0, undefined]
  const end = (why: NonNullable<Piped['cut']>): void => {
    cut ??= why
    for (const one of [from, to]) one.kill('SIGKILL')
  }
  const timer = setTimeout(() => end('too long'), timeout)
  from.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > most) end('too much')
  })
  // Each may end before the other has read or written everything.
  for (const stream of [from.stdin, to.stdin]) stream.on('error', () => {})
  from.stdout.pipe(to.stdin)
  from.stdin.end(first.input ?? '')
  const ends = await Promise.all([endOfPiped(from, 0), endOfPiped(to, 1024 * 1024)])
  clearTimeout(timer)
  return { first: ends[0], second: ends[1], bytes, cut }
}

/** Runs a program to the ends of its streams, and hands over what it prints; it is killed after `timeout` ms. */
export const readOutput = async (
  { argv: [program, ...args], cwd, environment, input }: PipedProgram,
  take: (piece: Buffer) => void,
  { timeout }: { readonly timeout: number },
): Promise<PipedEnd & Pick<Piped, 'cut'>> => {
  const child = spawn(program!, args, { cwd, env: { ...environment }, stdio: 'pipe' })
  let cut: Piped['cut']
  const timer = setTimeout(() => {
    cut = 'too long'
    child.kill('SIGKILL')
  }, timeout)
  child.stdin.on('error', () => {})
  child.stdout.on('data', take)
  child.stdin.end(input ?? '')
  const end = await endOfPiped(child, 0)
  clearTimeout(timer)
  return { ...end, cut }
}

const SAID = 64 * 1024

/** `close` comes after the exit and the ends of both streams. */
const endOfPiped = (child: ChildProcessWithoutNullStreams, most: number): Promise<PipedEnd> =>
  new Promise((resolve) => {
    const [output, said] = [keeping(most), keeping(SAID)]
    if (most > 0) child.stdout.on('data', output.take)
    child.stderr.on('data', said.take)
    child.once('error', (error) => said.take(Buffer.from(error.message)))
    child.once('close', (exitCode) => resolve({ exitCode, output: output.text(), said: said.text() }))
  })

/** Keeps the first bytes of a stream. */
const keeping = (most: number) => {
  const pieces: Buffer[] = []
  let length = 0
  return {
    take: (piece: Buffer): void => {
      if (length < most) pieces.push(piece.subarray(0, most - length))
      length += piece.length
    },
    text: (): string => Buffer.concat(pieces).toString('utf8'),
  }
}

/** Runs a program on the person's terminal, and waits for its end. Returns its exit code; throws if it does not start. */
export const runOnTerminal = async (
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<number | undefined> => {
  const ended = await execa(program, [...args], { cwd, env: { ...environment }, stdio: 'inherit', reject: false })
  if (ended.code !== undefined) throw new Error(ended.originalMessage)
  return ended.exitCode
}
