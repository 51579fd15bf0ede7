import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { testHome } from './home.ts'

const root = resolve(import.meta.dirname, '..')

/** What the built program is made from. */
const sources = ['src', 'components', 'package.json', 'tsdown.config.ts']

/** Builds `dist/` before the tests where a source is newer than it: the stories drive the built program. */
export default (): void => {
  mkdirSync(testHome, { recursive: true })
  const built = join(root, 'dist', 'main.js')
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
