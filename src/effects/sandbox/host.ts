import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { constants } from 'node:os'
import { basename } from 'node:path'
import { TipWatch } from '../worktree-git/tip-watch.ts'
import { DOORWAY, EXPECTED, type ImportedGit, SERVE, SOCKET, type Start } from './entry.ts'

// The parent of a program inside a sandbox: it serves the doorway, and takes over the commits of the program. It is in
// the session of the run and outlives every console.

/** How often a process inside is asked where the branch is, and how often it is imported without a sign of a change (ms). */
const POLL = 500
const AGAIN = 10_000

/** How often it is looked whether the shell that started both was killed (ms). */
const ORPHANED = 250

/**
 * Serves a program inside a sandbox to its end. Arguments: the file that describes the start, the program, its arguments.
 * Without a program, a shell has started it beside this process (`withHost`). Returns the program's exit code, 128 and
 * the signal's number if a signal ended it, 127 if it could not be started.
 */
export const host = async ([path, ...argv]: readonly string[]): Promise<number> => {
  // Signals go to the whole session: the program decides how it ends, and this process ends after it.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  const start = JSON.parse(readFileSync(path!, 'utf8')) as Start
  for (const note of start.notes ?? []) process.stderr.write(`aiswarm: ${note}\n`)
  const commits = new Commits(start)
  const desk = new Desk(start, commits)
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => void desk.take(socket))
  await listen(server, start)
  const closeProxy = await proxyOf(start, path!)
  const program = argv.length === 0 ? await besideThis() : startBelow(start, argv)
  const stopWatching = await watchUse(program, start)
  const code = await program.end
  stopWatching(code)
  server.close()
  desk.end()
  closeProxy()
  await commits.finish()
  return code
}

/** The output of the run, whose description names it, says each refused host. */
const proxyOf = async ({ hosts, door, root }: Start, path: string): Promise<() => void> => {
  if (hosts === undefined) return () => {}
  const { serveProxy } = await import('./proxy.ts')
  const who = { root, who: basename(path).replace(/\.\d+\.sandbox$/, '') }
  return serveProxy(door, hosts, who, (sentence) => process.stderr.write(`${sentence}\n`))
}

/** The path of a socket has at most 107 bytes, so this process goes to its folder for a moment. */
const listen = (server: ReturnType<typeof createServer>, { door, folder }: Start): Promise<void> =>
  new Promise((resolve, reject) => {
    process.chdir(door)
    rmSync(SOCKET, { force: true })
    server.once('error', reject)
    server.listen(SOCKET, () => {
      process.chdir(folder)
      resolve()
    })
  })

interface Program {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  readonly end: Promise<number>
}

const startBelow = ({ words, folder, door }: Start, argv: readonly string[]): Program => {
  const [program, ...args] = [...words, ...argv]
  const child = spawn(program!, args, { stdio: 'inherit', cwd: folder, env: { ...process.env, [DOORWAY]: door } })
  return { pid: child.pid, end: endOf(child, program!) }
}

/** The shell that started both says its own number, that of the program, and then the exit code. It may be killed. */
const besideThis = (): Promise<Program> => {
  let said = ''
  const line = (at: number): number | undefined => {
    const [text, whole] = said.split('\n').slice(at)
    return whole === undefined ? undefined : Number(text)
  }
  return new Promise((resolve) => {
    const end = new Promise<number>((ended) => process.stdin.once('close', () => ended(line(2) ?? 1)))
    const begun = (): void => {
      const pid = line(1)
      if (pid === undefined) return
      process.stdin.off('data', begun)
      setInterval(() => process.ppid === line(0) || killOnce(pid), ORPHANED).unref()
      resolve({ pid, end })
    }
    process.stdin.on('data', (piece: Buffer) => (said += piece.toString()))
    process.stdin.on('data', begun)
    process.stdin.once('close', () => resolve({ pid: undefined, end }))
  })
}

/** The end of the first process inside is the end of all. */
const watchUse = async ({ pid }: Program, { watched }: Start): Promise<(code: number) => void> => {
  if (watched === undefined || pid === undefined) return () => {}
  const { watchLimits } = await import('./watcher.ts')
  return watchLimits(pid, watched, () => killOnce(pid))
}

const killOnce = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

const endOf = (child: ChildProcess, program: string): Promise<number> =>
  new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)))
  })

/**
 * Hands connections to the process that serves them, which is started for the first of them and has nothing of a caller
 * among its words. It may end at any time, and be stopped by what it is asked: the limits are watched here.
 */
class Desk {
  readonly #start: Start
  readonly #commits: Commits
  #server: ChildProcess | undefined
  #waiting = 0

  constructor(start: Start, commits: Commits) {
    this.#start = start
    this.#commits = commits
  }

  async take(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    if (this.#waiting >= MOST) return void socket.destroy()
    this.#waiting++
    try {
      // The operation finds the commits that the program has just made.
      await this.#commits.take()
      this.#server ??= this.#begin()
      this.#server.send('connection', socket, (error) => error && socket.destroy())
    } finally {
      this.#waiting--
    }
  }

  end(): void {
    if (this.#server?.connected) this.#server.disconnect()
  }

  #begin(): ChildProcess {
    const { self, root } = this.#start
    const [program, ...words] = [...self, SERVE]
    const { [DOORWAY]: _door, [EXPECTED]: _expected, ...environment } = process.env
    const server = spawn(program, words, {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const gone = (): void => {
      if (this.#server === server) this.#server = undefined
    }
    // It has had nothing to do for a while. What was sent meanwhile, it still serves.
    server.on('message', () => {
      gone()
      if (server.connected) server.disconnect()
    })
    server.once('exit', gone)
    server.once('error', gone)
    return server
  }
}

/** The most connections that wait for the commits of the program; more are closed. */
const MOST = 64

/** Imports the commits of the run, one import at a time. */
class Commits {
  readonly #git: (ImportedGit & { readonly ref: string }) | null
  #tip: TipWatch | undefined
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #waits = false
  #said = ''
  /** The tip that was looked at last, and when. */
  #seen: { readonly tip: string | undefined; readonly at: number } | undefined

  constructor({ git }: Start) {
    this.#git = git === null || git.ref === null ? null : { ...git, ref: git.ref }
    if (this.#git === null) return
    this.#tip = new TipWatch(this.#git, this.#git.ref)
    this.#timer = setInterval(() => void this.#look(), POLL)
  }

  /** Returns when everything that was committed before the call has been imported, and other branches are shown. */
  async take(): Promise<void> {
    if (this.#git === null) return
    await this.#import()
    await (await import('../worktree-git/shown-refs.ts')).showRefs(this.#git).catch(() => {})
  }

  async finish(): Promise<void> {
    clearInterval(this.#timer)
    this.#tip?.close()
    if (this.#git !== null) await this.#import()
  }

  async #look(): Promise<void> {
    const tip = await this.#tip!.ask()
    const isNew = tip !== this.#seen?.tip
    // A commit that could not be imported, and a branch that was moved outside, are tried again now and then.
    if (isNew || performance.now() - (this.#seen?.at ?? 0) > AGAIN) await this.#import()
  }

  #import(): Promise<void> {
    if (this.#waits) return this.#turn
    this.#waits = true
    this.#turn = this.#turn.then(() => this.#now())
    return this.#turn
  }

  async #now(): Promise<void> {
    this.#waits = false
    try {
      const { importBranch, tipInside } = await import('../worktree-git/branch.ts')
      const git = this.#git!
      const tip = await tipInside(git, git.ref)
      this.#seen = { tip, at: performance.now() }
      const said = (await importBranch(git, git.ref, git.note, tip)) ?? ''
      if (said !== '' && said !== this.#said) process.stderr.write(`aiswarm: ${said}\n`)
      this.#said = said
    } catch (error) {
      process.stderr.write(`aiswarm: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
}
