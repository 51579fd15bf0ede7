import { accessSync, constants, existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { simpleGit, type SimpleGit } from 'simple-git'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { commonFolder, enrolledRoot, placeOf } from '../files/git-dir.ts'
import { recordGit } from './command-log.ts'

// The only place that runs git: by absolute path, without a shell, in a neutral environment, without hooks and helpers,
// and with the repository named explicitly.

export interface GitOptions {
  /** Exit codes other than 0 that are answers, not errors. */
  readonly answers?: readonly number[]
  readonly input?: string
  /** Treats input and output as bytes, one character per byte, for file names, which need not be text. */
  readonly bytes?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** Configuration for this command only, each as `key=value`. */
  readonly config?: readonly string[]
  /** Milliseconds without output after which git is killed, and after its end those that its pipe may stay open. */
  readonly timeout?: number
  /** Limit of its output in bytes. */
  readonly limit?: number
  /** The main checkout whose log records the command, for a command in a separate repository of aiswarm's. */
  readonly root?: string
  /** Kills git. */
  readonly signal?: AbortSignal
  /** Searches the parent folders too, as git does by default; used only to find the repository. */
  readonly discover?: boolean
  /** Words before git that start it inside a sandbox; found by itself for a worktree whose git is enclosed. */
  readonly inside?: readonly string[]
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const MEGABYTE = 1024 * 1024

/** Runs git in `folder` and returns its output. A failure is a refusal with git's own message. */
export const git = async (folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> =>
  (await askGit(folder, args, options)).stdout

/** As `git`, for commands whose exit code is part of the answer. */
export const askGit = async (folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> => {
  const { answers = [], environment = {}, discover = false, limit = 256 * MEGABYTE } = options
  if (!existsSync(folder)) throw new Refusal('git_failed', `The folder ${folder} is gone.`)
  const place = discover ? undefined : placeOf(folder)
  if (!discover && !place && !('GIT_DIR' in environment) && !existsSync(join(folder, 'HEAD'))) {
    // The answer of git is known without running it.
    if (answers.includes(128)) return { exitCode: 128, stdout: '', stderr: noCheckout(folder).message }
    throw noCheckout(folder)
  }
  const where = place
    ? [`--git-dir=${place.gitDir}`, ...('GIT_WORK_TREE' in environment ? [] : [`--work-tree=${place.workTree}`])]
    : []
  const inside = options.inside ?? (place && (await enclosureOf(place.gitDir)))
  const command = new GitProcess(folder, { ...options, ...(inside === undefined ? {} : { inside }) }, limit)
  const began = performance.now()
  const record = (exitCode: number | null, said: string): void =>
    recordGit(options.root ?? (place && enrolledRoot(place.gitDir)), {
      at: new Date().toISOString(),
      folder,
      argv: [...args],
      exitCode,
      ms: Math.round(performance.now() - began),
      bytes: command.bytes,
      said,
    })
  try {
    const stdout = await command.run([...where, ...args])
    record(0, '')
    return { exitCode: 0, stdout, stderr: '' }
  } catch (error) {
    const { end, cut } = command
    record(end?.exitCode ?? null, cut ?? end?.stderr ?? '')
    if (cut !== undefined) throw new Refusal('git_failed', `git ${args[0]} ${cut}.`, { cause: error })
    if (end && end.exitCode !== null && answers.includes(end.exitCode)) return { ...end, exitCode: end.exitCode }
    const said = end
      ? end.stderr || end.stdout || (end.exitCode === null ? 'a signal ended it' : `exit code ${end.exitCode}`)
      : error instanceof Error
        ? error.message
        : String(error)
    const lock = /Unable to create '([^']+\.lock)': File exists/.exec(said)?.[1]
    throw new Refusal(
      'git_failed',
      lock === undefined ? `git ${args[0]} failed: ${firstLines(said)}` : `${lock}${LOCKED}`,
      { cause: error },
    )
  }
}

/** Finds the words that start git inside the sandbox of a worktree, by the worktree's folder in the repository's git folder. */
type Enclosure = (administration: string) => Promise<readonly string[] | undefined>

const enclosures = new Map<string, Enclosure>()

/**
 * From now on git runs inside of a sandbox in each worktree of the repository for which `find` has words: an agent may
 * have written what git reads there.
 */
export const encloseGit = (root: string, find: Enclosure): void => {
  const common = commonFolder(root)
  if (common !== undefined) enclosures.set(common, find)
}

const enclosureOf = async (gitDir: string): Promise<readonly string[] | undefined> =>
  basename(dirname(gitDir)) === 'worktrees' ? enclosures.get(dirname(dirname(gitDir)))?.(gitDir) : undefined

const LOCKED =
  ' exists, so another git process is running or was killed; wait for it, or remove that file if none is running, and try again.'

/** The lock file that blocked git, if any. Its owner cannot be known, so aiswarm never removes it. */
export const lockIn = (error: unknown): string | undefined =>
  isRefusal(error) && error.code === 'git_failed' && error.message.endsWith(LOCKED)
    ? error.message.slice(0, -LOCKED.length)
    : undefined

/** How long the words of a failure are waited for after the end of git: its helpers may keep that pipe open (ms). */
const REST = 5000

/** How long a git that was stopped may take to end (ms). */
const GRACE = 2000

/**
 * One command of git, run by simple-git in the neutral environment. Its answer ends with the end of the stream: a
 * shorter one is an error, and `cut` says why.
 */
class GitProcess {
  /** The bytes that it has printed. */
  bytes = 0
  /** How git ended, if not with 0: simple-git reduces errors to text. */
  end: (Omit<GitAnswer, 'exitCode'> & { readonly exitCode: number | null }) | undefined
  /** Why its answer is not whole; undefined if it is. */
  cut: string | undefined
  readonly #options: GitOptions
  readonly #limit: number
  readonly #runner: SimpleGit
  readonly #stop = new AbortController()
  readonly #stdout: Buffer[] = []
  readonly #stderr: Buffer[] = []
  readonly #outputEnd = Promise.withResolvers<void>()
  readonly #errorEnd = Promise.withResolvers<void>()
  readonly #givenUp = Promise.withResolvers<never>()
  readonly #silence: NodeJS.Timeout
  #streams: readonly Socket[] = []
  #exited = false

  constructor(folder: string, options: GitOptions, limit: number) {
    const { input, environment = {}, timeout = 120_000, discover = false, bytes = false, signal, inside } = options
    this.#options = options
    this.#limit = limit
    this.#silence = setTimeout(() => this.#giveUp(this.#silent(timeout)), timeout)
    this.#givenUp.promise.catch(() => {})
    signal?.addEventListener('abort', this.#stopped)
    if (signal?.aborted) this.#stopped()
    this.#runner = simpleGit({
      baseDir: folder,
      binary: inside?.[0] ?? gitBinary(),
      config: inside === undefined ? [...neutralConfig, ...(options.config ?? [])] : [],
      unsafe: allowedConfig,
      allowEnvironment: [...allowedNames, ...Object.keys(environment)],
      // simple-git says how git ended 50 ms after its exit, whatever is still in the pipes: they are read here.
      completion: { onClose: true, onExit: 50 },
      abort: this.#stop.signal,
      ...(input === undefined ? {} : { input: () => Buffer.from(input, bytes ? 'latin1' : 'utf8') }),
      errors: (error, { exitCode }) => {
        if (exitCode === 0) return error
        this.end = { exitCode, stdout: '', stderr: '' }
        return new Error(`exit code ${exitCode}`)
      },
    })
      .env({ ...neutralEnvironment(folder), ...(discover ? { GIT_CEILING_DIRECTORIES: '' } : {}), ...environment })
      .outputHandler((_command, stdout, stderr) => this.#follow(stdout as Socket, stderr as Socket))
  }

  /** Its output, as text or as bytes. */
  async run(args: readonly string[]): Promise<string> {
    const { inside, config } = this.#options
    const words = inside === undefined ? [] : [...inside.slice(1), ...wordsOfGit(config)]
    try {
      await Promise.race([this.#runner.raw([...words, ...args]), this.#givenUp.promise])
      await this.#readOn()
      return this.#text(this.#stdout)
    } catch (error) {
      if (this.end === undefined || this.cut !== undefined) throw error
      await this.#readOn()
      await Promise.race([this.#errorEnd.promise, sleep(REST, undefined, { ref: false })])
      this.end = { ...this.end, stdout: this.#text(this.#stdout), stderr: this.#text(this.#stderr) }
      throw error
    } finally {
      clearTimeout(this.#silence)
      this.#options.signal?.removeEventListener('abort', this.#stopped)
      // A program that git has started may keep them open: it can go on, and does not keep this process alive.
      for (const stream of this.#streams) stream.removeAllListeners('data').resume().unref()
    }
  }

  /** After git's end, the rest of its answer is read: a program that it started may write it. */
  async #readOn(): Promise<void> {
    this.#exited = true
    this.#silence.refresh()
    await Promise.race([this.#outputEnd.promise, this.#givenUp.promise])
  }

  #follow(stdout: Socket, stderr: Socket): void {
    this.#streams = [stdout, stderr]
    // simple-git would keep a second copy of everything.
    for (const stream of this.#streams) stream.removeAllListeners('data')
    stdout.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      this.#stdout.push(chunk)
      this.#silence.refresh()
      if (this.bytes > this.#limit)
        this.#giveUp(`printed more than the limit of ${Math.round(this.#limit / MEGABYTE)} MB`)
    })
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk)
      this.#silence.refresh()
    })
    // simple-git waits 50 ms longer for a command without output; after the end of its output none can follow.
    stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
    stdout.once('close', () => this.#outputEnd.resolve())
    stderr.once('close', () => this.#errorEnd.resolve())
  }

  readonly #stopped = (): void => this.#giveUp('was stopped')

  #silent(timeout: number): string {
    const seconds = timeout / 1000
    return this.#exited
      ? `has ended, but a program that it started keeps its output open and has printed nothing for ${seconds} s`
      : `printed nothing for ${seconds} s and was stopped`
  }

  /** Ends git, if it runs, and then the wait for its answer. A program that still writes gets an error from the pipe. */
  #giveUp(why: string): void {
    if (this.cut !== undefined) return
    this.cut = why
    this.#stop.abort()
    for (const stream of this.#streams) stream.destroy()
    const reject = (): void => this.#givenUp.reject(new Error(why))
    if (this.#exited) reject()
    else setTimeout(reject, GRACE).unref()
  }

  #text(pieces: readonly Buffer[]): string {
    return Buffer.concat([...pieces]).toString(this.#options.bytes ? 'latin1' : 'utf8')
  }
}

/** Git, with the settings that hold for each of its commands. */
const wordsOfGit = (config: readonly string[] = []): readonly string[] => [
  gitBinary(),
  ...[...neutralConfig, ...config].flatMap((one) => ['-c', one]),
]

/** A command of git whose streams another program reads or writes, in the same environment. */
export const gitCommand = (
  folder: string,
  args: readonly string[],
  { inside = [], environment = {} }: Pick<GitOptions, 'inside' | 'environment'> = {},
): {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
} => {
  const place = placeOf(folder)
  return {
    argv: [...inside, ...wordsOfGit(), ...(place ? [`--git-dir=${place.gitDir}`] : []), ...args],
    cwd: folder,
    environment: { ...neutralEnvironment(folder), ...environment },
  }
}

const noCheckout = (folder: string): Refusal =>
  new Refusal(
    'git_misled',
    `${folder} no longer has a .git, so it is not a checkout; restore it ('git worktree repair' may help) or discard the worktree.`,
  )

/** Two lines that git adds to every refusal of a remote. */
const ADVICE = /^(?:Please make sure you have the correct access rights|and the repository exists\.)$/

const firstLines = (message: string): string =>
  message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !ADVICE.test(line))
    .slice(0, 4)
    .join('; ')
    .replaceAll('.; ', '; ')
    .slice(0, 600)

/** The first line of git's message for use inside a sentence: without `fatal:` and the full stop. */
export const firstLineOf = (said: string): string =>
  said
    .trim()
    .split('\n')[0]!
    .replace(/^(error|fatal): /, '')
    .replace(/\.$/, '')

// The configuration and environment for every git process, which take precedence over the repository's.

/** Settings that keep git from running programs of the repository, prompting or fetching. */
const neutralConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=true',
  'core.quotePath=false',
  'core.askPass=',
  'core.alternateRefsCommand=',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'advice.detachedHead=false',
  'merge.renormalize=false',
  'merge.autoStash=false',
  'merge.verifySignatures=false',
  'rerere.enabled=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.submodule=short',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'status.submoduleSummary=false',
] as const

/** simple-git requires each of these options to be allowed by name. */
const allowedConfig = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafePager: true,
  allowUnsafeEditor: true,
  allowUnsafeAskPass: true,
  // The repository and its files are given explicitly.
  allowUnsafeConfigPaths: true,
  // Used only to switch programs off.
  allowUnsafeConfigEnvCount: true,
  allowUnsafeFilter: true,
  allowUnsafeMergeDriver: true,
} as const

/** Git variables that callers may set. */
const allowedNames = [
  'GIT_TERMINAL_PROMPT',
  'GIT_OPTIONAL_LOCKS',
  'GIT_NO_LAZY_FETCH',
  'GIT_ALLOW_PROTOCOL',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_CEILING_DIRECTORIES',
  'GIT_INDEX_FILE',
  'GIT_WORK_TREE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
] as const

const neutralEnvironment = (folder: string): Record<string, string> => ({
  ...inherited(),
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Git before 2.45 ignores the setting above: a missing object would be fetched by a command that the configuration
  // names.
  GIT_ALLOW_PROTOCOL: '',
  // A replacement ref would show other commits than the ones that are merged.
  GIT_NO_REPLACE_OBJECTS: '1',
  // A folder without its .git must not be treated as part of a repository above it.
  GIT_CEILING_DIRECTORIES: dirname(folder),
  LC_ALL: 'C',
})

/**
 * The variables of our environment that git needs, without those that name another repository, an editor or a helper.
 */
const inherited = (): Record<string, string> => {
  const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'USERPROFILE']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** The absolute path of git, looked up once. Relative folders in PATH are ignored. */
export const gitBinary = (): string => {
  binary ??= (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'git'))
    .find(isExecutable)
  if (binary === undefined) throw new Refusal('git_missing', 'git was not found on PATH; install git 2.38 or newer.')
  return binary
}

let binary: string | undefined

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
