import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The person's git, without any configuration of this machine. */
export const personEnvironment = {
  ...{
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C.UTF-8',
  },
  ...{
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  },
}

/** Runs git as a person would; returns its output without the last line end. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    env: personEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  }).trimEnd()

/** Runs a few lines of sh in a folder. */
export const sh = (folder: string, script: string): void =>
  void execFileSync('/bin/sh', ['-ec', script], {
    cwd: folder,
    env: personEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })

export const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Writes files and commits them together with all other changes; returns the commit. */
export const commit = (folder: string, files: Readonly<Record<string, string>>, message: string): string => {
  write(folder, files)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', message)
  return git(folder, 'rev-parse', 'HEAD')
}
