import { type ChildProcess, execFile, execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { endProcessesOf } from '../support/processes.ts'
import type { Machine, Network } from './namespaces.ts'

/** The built program, the result of `npm run build`. */
export const main = resolve(import.meta.dirname, '../../dist/main.js')

/** A machine of the fleet: a home, a clone, and what runs there. */
export interface FleetMachine {
  readonly name: string
  readonly home: string
  /** Its clone. */
  readonly root: string
  readonly environment: Readonly<Record<string, string>>
  /** The words that run a program there, in the present boot. */
  readonly words: () => readonly string[]
  /** Runs a command of aiswarm there; returns its JSON, or throws its error. */
  readonly run: <T>(words: readonly string[], input?: string) => Promise<T>
  /** Runs a script of sh there, in the clone; returns its output. */
  readonly sh: (script: string) => string
  /** Starts a program there without a terminal. */
  readonly launch: (command: readonly string[], options?: SpawnOptions) => Running
  /** Starts aiswarm there without a terminal. */
  readonly start: (words: readonly string[], options?: SpawnOptions) => Running
  readonly off: () => Promise<void>
  readonly on: () => Promise<void>
  /** Undefined where machines are groups of processes. */
  readonly net: Pick<Machine, 'link' | 'netem'> | undefined
}

export interface Running {
  readonly child: ChildProcess
  /** Signals the program itself. */
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<void>
}

export const fleetMachine = async (
  folder: string,
  name: string,
  network: Network | undefined,
  others: readonly string[],
): Promise<FleetMachine> => {
  const [home, temporary, bin] = ['home', 'tmp', 'bin'].map((one) => join(folder, one)) as [string, string, string]
  for (const made of [home, temporary, bin]) mkdirSync(made, { recursive: true })
  writeFileSync(join(bin, 'aiswarm'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
  const root = join(folder, 'work', 'shop')
  const machine = await network?.machine(name, folder, others)
  const environment = {
    PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    // Agents of the tests write their diaries beside the clone.
    AISWARM_SANDBOX: 'off',
    // The machine of the tests is busy, and each host is all of it.
    AISWARM_MAX_LOAD: 'off',
    GIT_CONFIG_NOSYSTEM: '1',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(dirname(folder), 'node-compile-cache'),
  }
  // A namespace with mounts of its own begins in its root.
  const words = (): readonly string[] => (machine ? [...machine.words(), 'sh', '-c', 'cd "$0" && exec "$@"', root] : [])
  const inRoot = (...command: readonly string[]): readonly [string, ...string[]] => {
    const [program, ...rest] = [...words(), ...command]
    return [program!, ...rest]
  }
  const launched = new Set<ChildProcess>()
  const launch: FleetMachine['launch'] = (command, options = {}) => {
    const [program, ...rest] = inRoot(...command)
    const child = spawn(program, rest, { cwd: root, env: environment, stdio: 'ignore', ...options })
    launched.add(child)
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const signal = (sent: NodeJS.Signals): void => {
      const pid = machine === undefined ? child.pid : machine.pidOf(child.pid!)
      if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        process.kill(pid, sent)
        // The program that has joined the namespaces stops with the one that it started there.
        if (sent === 'SIGCONT') process.kill(child.pid!, sent)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
    return { child, ended, signal }
  }
  return {
    ...{ name, home, root, environment, words },
    net: machine,
    run: (line, input = '') =>
      new Promise((done, fail) => {
        const [program, ...rest] = inRoot(process.execPath, main, '--json', ...line)
        const child = execFile(
          program,
          rest,
          { cwd: root, env: environment, maxBuffer: 2 ** 26 },
          (error, out, err) => {
            if (error) fail(new Error(`${name}$ aiswarm ${line.join(' ')}: ${err || error.message}`))
            else done((out.trim() === '' ? null : JSON.parse(out)) as never)
          },
        )
        child.stdin?.on('error', () => {}).end(input)
      }),
    sh: (script) => {
      const [program, ...rest] = inRoot('sh', '-ec', script)
      const output = execFileSync(program, rest, {
        cwd: root,
        env: environment,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return output.trimEnd()
    },
    launch,
    start: (line, options) => launch([process.execPath, main, ...line], options),
    off: async () => {
      if (machine !== undefined) return machine.off()
      for (const child of launched) child.kill('SIGKILL')
      await endProcessesOf(root)
    },
    on: async () => machine?.on(),
  }
}
