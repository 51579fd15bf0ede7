import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { simpleGit } from 'simple-git'
import { Refusal } from '../domain/refusal.ts'

// The one place that runs git: absolute path, no shell, a neutral environment, hooks and helpers off.

export interface GitOptions {
  /** Exit codes that are answers, not errors. 0 always is. */
  readonly answers?: readonly number[]
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Milliseconds without a sign of life after which git is ended. */
  readonly timeout?: number
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs git in `folder` and gives what it printed. Refuses with git's own words when it fails. */
export const git = async (folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> => (await askGit(folder, args, options)).stdout

/** As `git`, for commands whose exit code is part of the answer. */
export const askGit = async (folder: string, args: readonly string[], { answers = [], input, environment = {}, timeout = 120_000 }: GitOptions = {}): Promise<GitAnswer> => {
  if (!existsSync(folder)) throw new Refusal('git_failed', `The folder ${folder} is gone.`)
  // simple-git hands errors on as text; how git ended is remembered here.
  let end: GitAnswer | undefined
  const runner = simpleGit({
    baseDir: folder,
    binary: gitBinary(),
    config: [...neutral],
    unsafe: permissions,
    allowEnvironment: [...neutralNames, ...Object.keys(environment)],
    timeout: { block: timeout },
    ...(input === undefined ? {} : { input: () => input }),
    errors: (error, { exitCode, stdErr, stdOut }) => {
      if (exitCode === 0) return error
      end = { exitCode, stdout: text(stdOut), stderr: text(stdErr) }
      return new Error(`exit code ${exitCode}`)
    },
  }).env({ ...inherited(), ...neutralEnvironment(folder), ...environment })
  try {
    return { exitCode: 0, stdout: await runner.raw([...args]), stderr: '' }
  } catch (error) {
    if (end && answers.includes(end.exitCode)) return end
    const said = end ? end.stderr || end.stdout || `exit code ${end.exitCode}` : error instanceof Error ? error.message : String(error)
    throw new Refusal('git_failed', `git ${args[0]} failed: ${firstLines(said)}`, { cause: error })
  }
}

/** Absolute path of git; looked up once. */
export const gitBinary = (): string => {
  binary ??= (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'git'))
    .find(isExecutable)
  if (binary === undefined) throw new Refusal('git_missing', 'git was not found on PATH; install git 2.38 or newer.')
  return binary
}

let binary: string | undefined

/** Configuration that holds whatever the repository says: nothing of its own is run or asked. */
const neutral = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=true',
  'core.quotePath=false',
  'core.askPass=',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'advice.detachedHead=false',
  'merge.renormalize=false',
  'log.showSignature=false',
] as const

const permissions = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafePager: true,
  allowUnsafeEditor: true,
  allowUnsafeAskPass: true,
} as const

const neutralNames = [
  'GIT_TERMINAL_PROMPT',
  'GIT_OPTIONAL_LOCKS',
  'GIT_CEILING_DIRECTORIES',
  'GIT_INDEX_FILE',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
] as const

const neutralEnvironment = (folder: string): Record<string, string> => ({
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // A folder that lost its .git must not be taken for part of a repository above it.
  GIT_CEILING_DIRECTORIES: dirname(folder),
  LC_ALL: 'C',
})

/** What git needs of our own environment; nothing that names another repository, an editor or a helper. */
const inherited = (): Record<string, string> => {
  const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'USERPROFILE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const text = (chunks: readonly Buffer[]): string => Buffer.concat([...chunks]).toString('utf8')

const firstLines = (message: string): string =>
  message
    .trim()
    .split('\n')
    .slice(0, 4)
    .map((line) => line.trim())
    .join('; ')
    .slice(0, 600)
