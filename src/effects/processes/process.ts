import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
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
  /** True if programs that it started go on, and may print more: the last line of the output says so. */
  readonly goesOn: boolean
}

const GOES_ON =
  '… the command has ended, but a program that it started continues: the rest of its output may be missing …\n'

/** Limit of the kept output of a command in the configuration (bytes). */
const LONGEST_LOG = 64 * 1024 ** 2

/** A timer of more than 24 days would fire at once (ms). */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Runs a shell command of the configuration to its end; both output streams go to the file `output`, and `input` is its
 * standard input. The end of its shell is the end: a server that it starts may go on. `base` is its share of our environment: everything for a person's command, less for a branch's code.
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
  const goesOn = child.pid !== undefined && sessionRuns(child.pid)
  if (goesOn) appendFileSync(output, GOES_ON)
  return { exitCode: exitCode ?? null, timedOut, goesOn }
}

/** The most that a program prints which is asked for a few lines (bytes). */
const SHORT_ANSWER = 100_000

/**
 * Runs a program to its end, at most `timeout` ms, and returns its exit code with both output streams. If its output is
 * not whole, the exit code is null, and the output says why.
 */
export const trial = async (
  words: readonly string[],
  timeout: number,
): Promise<{ readonly exitCode: number | null; readonly output: string }> => {
  const { exitCode, output, cut } = await readProgram(words, { cwd: '/', timeout, most: SHORT_ANSWER, both: true })
  return cut === null ? { exitCode, output } : { exitCode: null, output: cutWords(words[0]!, cut, timeout) }
}

/** Why the output of a program is not whole: its time was over, before its end or after it, or it printed too much. */
export type Cut = 'late' | 'open' | 'long'

/** The output of a program, without the last line break. */
export interface ProgramOutput {
  /** Null if it did not start, or a signal ended it. */
  readonly exitCode: number | null
  readonly output: string
  /** Null if the output is whole. */
  readonly cut: Cut | null
}

/** The standard output of a program without standard input, read to the end of the stream within `timeout` ms. */
export const outputOf = async (
  program: string,
  args: readonly string[],
  { cwd, timeout, most = SHORT_ANSWER }: { cwd: string; timeout: number; most?: number },
): Promise<ProgramOutput> => readProgram([program, ...args], { cwd, timeout, most, both: false })

/** A sentence about an output that is not whole, without its full stop. */
export const cutWords = (program: string, cut: Cut, timeout: number): string => {
  switch (cut) {
    case 'late':
      return `${program} did not end within ${timeout / 1000} s`
    case 'open':
      return `${program} has ended, but a program that it started kept its output open for ${timeout / 1000} s`
    case 'long':
      return `${program} printed more than it is asked for`
  }
}

/**
 * execa waits for the end of the streams too, and its own timeout ends only the program: one that it started, and that
 * keeps a stream open, would be waited for without end.
 */
const readProgram = async (
  [program, ...args]: readonly string[],
  { cwd, timeout, most, both }: { cwd: string; timeout: number; most: number; both: boolean },
): Promise<ProgramOutput> => {
  const running = execa(program!, args, {
    cwd,
    env: ownEnvironment(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: both,
    maxBuffer: most,
    forceKillAfterDelay: 1000,
  })
  const { nodeChildProcess: child } = running
  let cut: Cut | null = null
  const timer = setTimeout(() => {
    cut = child.exitCode === null && child.signalCode === null ? 'late' : 'open'
    running.kill()
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, timeout)
  const { exitCode, stdout, all, isMaxBuffer } = await running
  clearTimeout(timer)
  return { exitCode: exitCode ?? null, output: (both ? all : stdout) ?? '', cut: isMaxBuffer ? 'long' : cut }
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
  /** The bytes that went through the pipe. */
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
