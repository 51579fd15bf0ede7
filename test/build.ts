import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { testHome } from './home.ts'
import { day, whole } from './support/dose.ts'
import { makeTemplates } from './support/template.ts'

const root = resolve(import.meta.dirname, '..')

/** The sources of the built program. */
const sources = ['src', 'components', 'build', 'package.json', 'tsdown.config.ts']

/**
 * Makes what all tests share: the built program, which the stories drive, and the templates. Returns the function that
 * removes the templates.
 */
export default async (): Promise<() => void> => {
  mkdirSync(testHome, { recursive: true })
  build()
  // A failure of one day can be repeated on another.
  if (!whole) console.log(`Heavy tests run the part of day ${day}; DAY=${day} repeats it, EVERY=1 runs all of them.`)
  return makeTemplates()
}

/** Builds `dist/` if a source is newer than it; with BUILD=0 only if there is none. */
const build = (): void => {
  const built = join(root, 'dist', 'main.js')
  if (existsSync(built) && process.env['BUILD'] === '0') return
  if (existsSync(built) && sources.every((path) => newest(join(root, path)) <= statSync(built).mtimeMs)) return
  execFileSync(process.execPath, [join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

const newest = (path: string): number => {
  if (!existsSync(path)) return 0
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}
