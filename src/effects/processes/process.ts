import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import type { ProcessIdentity } from '../../domain/agent/agent.ts'
import { boundLog } from '../files/bounded-log.ts'
import { ownEnvironment } from './environment.ts'
import { livenessOf } from './identity.ts'
import { processesMarked, sessionRuns } from './table.ts'
import { shim } from './shim.ts'

// The only place that starts processes, and the only one that signals them.

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
  /** Known only to the shim, which ends the exit record with it. */
  readonly seal: string
}

/**
 * Starts a process in a separate session, which outlives this process. The pid file tells whether it claimed the run.
 */
export const startDetached = async ({ argv, cwd, environment, stdin, output, pidFile, exitFile, seal }: DetachedStart): Promise<void> => {
  const subprocess = execa('/bin/sh', ['-c', shim, 'aiswarm-shim', pidFile, exitFile, stdin ?? '/dev/null', output, ...argv], {
    cwd,
    env: { ...environment },
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    input: `${seal}\n`,
    stdout: 'ignore',
    stderr: 'ignore',
  })
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
export const runCommand = async (command: string, { cwd, base = ownEnvironment(), environment = {}, input, output, timeout }: CommandOptions): Promise<CommandEnd> => {
  const child = execa('/bin/sh', ['-c', `exec >> "$1" 2>&1; ${command}`, 'sh', output], {
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

/** The output of a program without standard input; undefined if it fails or takes longer than `timeout` ms. */
export const outputOf = async (program: string, args: readonly string[], where: { cwd: string; timeout: number }): Promise<string | undefined> =>
  (await outputInTime(program, args, where)).output

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

/** Runs a program on the person's terminal and waits for its end. */
export const runOnTerminal = async (program: string, args: readonly string[], cwd: string, environment: Readonly<Record<string, string>> = {}): Promise<void> => {
  await execa(program, [...args], { cwd, env: { ...environment }, stdio: 'inherit', reject: false })
}

/**
 * Kills a session: TERM to the group, `grace` ms for all of it, then KILL. The identity of its leader is checked before
 * each signal, so that a process that reuses the number is never signalled. True if no process of it remains.
 */
export const endGroup = async (identity: ProcessIdentity, grace: number): Promise<boolean> => {
  const liveness = livenessOf(identity)
  if (liveness !== 'alive') return liveness === 'dead'
  signalGroup(identity.pid, 'SIGTERM')
  // A stopped process cannot handle signals: with TERM pending, it continues only to its end.
  signalGroup(identity.pid, 'SIGCONT')
  const quiet = (): boolean => !sessionRuns(identity.pid)
  if (await comesTrue(quiet, grace)) return true
  // Its leader may have ended meanwhile, but while a member runs the system does not reuse the number of the group.
  signalGroup(identity.pid, 'SIGKILL')
  return comesTrue(quiet, 2000)
}

/** Stops or continues a session's processes; never those of another session that reuses its number. True if it runs. */
export const signalIfAlive = (identity: ProcessIdentity, name: 'SIGSTOP' | 'SIGCONT'): boolean => {
  if (livenessOf(identity) !== 'alive') return false
  signalGroup(identity.pid, name)
  return true
}

/**
 * Kills single processes that have left their group, each identified by its marker, and those that they start
 * meanwhile; waits until none is left.
 */
export const endMarked = async (markers: Readonly<Record<string, string>>): Promise<void> => {
  const noneLeft = (): boolean => {
    const left = processesMarked(markers)
    for (const pid of left) signal(pid, 'SIGKILL')
    return left.length === 0
  }
  await comesTrue(noneLeft, 2000)
}

/** Kills a single process: TERM, `grace` ms, KILL; never one that reuses its number. True if it has ended. */
export const endProcess = async (identity: ProcessIdentity, grace: number): Promise<boolean> => {
  const ended = (): boolean => livenessOf(identity) === 'dead'
  for (const [name, within] of [
    ['SIGTERM', grace],
    ['SIGKILL', 2000],
  ] as const) {
    if (livenessOf(identity) === 'alive') {
      signal(identity.pid, name)
      signal(identity.pid, 'SIGCONT')
    }
    if (await comesTrue(ended, within)) return true
  }
  return false
}

const comesTrue = async (condition: () => boolean, within: number): Promise<boolean> => {
  for (const until = performance.now() + within; !condition(); await sleep(30)) if (performance.now() >= until) return false
  return true
}

const signalGroup = (pid: number | undefined, name: NodeJS.Signals): void => {
  if (pid !== undefined && pid > 1) signal(-pid, name)
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process has already ended, which was the aim.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
