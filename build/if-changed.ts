import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** All that the built program is made of. */
const sources = ['src', 'components', 'build', 'package.json', 'package-lock.json', 'tsdown.config.ts']

/** Builds `dist/` if a source is newer than it; with BUILD=0 only if there is none. */
export const buildIfChanged = (): void => {
  const built = join(root, 'dist', 'main.js')
  if (
    existsSync(built) &&
    (process.env['BUILD'] === '0' || sources.every((path) => newest(join(root, path)) <= statSync(built).mtimeMs))
  )
    return
  execFileSync(process.execPath, [join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** The time of the latest change in a file or folder (ms since 1970); a folder changes when an entry is moved. */
const newest = (path: string): number => {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

if (import.meta.main) buildIfChanged()
