import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type SimpleGit, simpleGit } from 'simple-git'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { allowedConfig, allowedNames, neutralConfig, neutralEnvironment } from './environment.ts'
import { recordGit } from './log.ts'
import { enrolledRoot, placeOf } from '../files/git-place.ts'
import { gitBinary } from './binary.ts'

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
  /** Milliseconds without output after which git is killed. */
  readonly timeout?: number
  /** Limit of its output in bytes. */
  readonly limit?: number
  /** The main checkout whose log records the command, for a command in a separate repository of aiswarm's. */
  readonly root?: string
  /** Kills git. */
  readonly signal?: AbortSignal
  /** Searches the parent folders too, as git does by default; used only to find the repository. */
  readonly discover?: boolean
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
  const command = new GitProcess(folder, options, limit)
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
    const { end } = command
    record(end?.exitCode ?? null, end?.stderr ?? '')
    if (command.printedTooMuch)
      throw new Refusal(
        'git_failed',
        `git ${args[0]} printed more than the limit of ${Math.round(limit / MEGABYTE)} MB.`,
        { cause: error },
      )
    if (end && answers.includes(end.exitCode)) return end
    const said = end
      ? end.stderr || end.stdout || `exit code ${end.exitCode}`
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

const LOCKED =
  ' exists, so another git process is running or was killed; wait for it, or remove that file if none is running, and try again.'

/** The lock file that blocked git, if any. Its owner cannot be known, so aiswarm never removes it. */
export const lockIn = (error: unknown): string | undefined =>
  isRefusal(error) && error.code === 'git_failed' && error.message.endsWith(LOCKED)
    ? error.message.slice(0, -LOCKED.length)
    : undefined

/** One command of git, run by simple-git in the neutral environment. */
class GitProcess {
  /** The bytes that it has printed. */
  bytes = 0
  /** How git ended, if not with 0: simple-git reduces errors to text. */
  end: GitAnswer | undefined
  readonly #options: GitOptions
  readonly #limit: number
  readonly #tooMuch = new AbortController()
  readonly #chunks: Buffer[] = []
  readonly #runner: SimpleGit

  constructor(folder: string, options: GitOptions, limit: number) {
    const { input, environment = {}, config = [], timeout = 120_000, discover = false, bytes = false, signal } = options
    this.#options = options
    this.#limit = limit
    this.#runner = simpleGit({
      baseDir: folder,
      binary: gitBinary(),
      config: [...neutralConfig, ...config],
      unsafe: allowedConfig,
      allowEnvironment: [...allowedNames, ...Object.keys(environment)],
      timeout: { block: timeout },
      abort: signal ? AbortSignal.any([this.#tooMuch.signal, signal]) : this.#tooMuch.signal,
      ...(input === undefined ? {} : { input: () => Buffer.from(input, bytes ? 'latin1' : 'utf8') }),
      errors: (error, { exitCode, stdErr, stdOut }) => {
        if (exitCode === 0) return error
        this.end = { exitCode, stdout: this.#text(stdOut), stderr: this.#text(stdErr) }
        return new Error(`exit code ${exitCode}`)
      },
    })
      .env({ ...neutralEnvironment(folder), ...(discover ? { GIT_CEILING_DIRECTORIES: '' } : {}), ...environment })
      .outputHandler((_command, stdout) => this.#count(stdout))
  }

  get printedTooMuch(): boolean {
    return this.#tooMuch.signal.aborted
  }

  /** Its output, as text or as bytes. */
  async run(args: readonly string[]): Promise<string> {
    const stdout = await this.#runner.raw([...args])
    return this.#options.bytes ? this.#text(this.#chunks) : stdout
  }

  #count(stdout: NodeJS.ReadableStream): void {
    stdout.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.#options.bytes) this.#chunks.push(chunk)
      if (this.bytes > this.#limit) this.#tooMuch.abort()
    })
    // simple-git waits 50 ms longer for a command without output; after the end of its output none can follow.
    stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
  }

  #text(pieces: readonly Buffer[]): string {
    return Buffer.concat([...pieces]).toString(this.#options.bytes ? 'latin1' : 'utf8')
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
