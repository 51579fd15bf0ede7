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
