import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Instant } from '../../src/domain/words/time.ts'
import { fastFolder } from './fast-folder.ts'
import { type OpenOptions, openStore, type SqliteStore } from '../../src/db/sqlite/open.ts'

/** The scripts of the program itself. */
export const migrations = resolve(import.meta.dirname, '../../migrations')

/** The engine on which the tests run: `sqlite`, `pglite` or `postgresql`. */
export const testedStore = process.env['AISWARM_TEST_STORE'] ?? 'sqlite'

/** How a board on a server gets the clock of its test. */
export const clocks = new WeakMap<SqliteStore, (clock: () => Instant) => void>()

/**
 * Makes the clock of the test that of the board's server if the board is on one, as in the program, where the operations
 * of a board on a server know no other clock.
 */
export const shareClock = (store: SqliteStore, clock: () => Instant): void => clocks.get(store)?.(clock)

/** The variable with the folder of the templates, for the workers. */
const VARIABLE = 'AISWARM_TEST_TEMPLATES'

/** Creates a migrated database and an empty repository, which the tests copy. Returns the function that removes them. */
export const makeTemplates = async (): Promise<() => void> => {
  const folder = mkdtempSync(join(fastFolder, 'aiswarm-templates-'))
  const store = await openStore(join(folder, 'coordination.db'), { migrations })
  store.close()
  mkdirSync(join(folder, 'shop'))
  initialise(join(folder, 'shop'))
  process.env[VARIABLE] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Like `openStore` with the program's own migrations, except that a missing database is copied instead of migrated. */
export const openMigrated = async (
  path: string,
  options: Omit<OpenOptions, 'migrations'> = {},
): Promise<SqliteStore> => {
  if (testedStore !== 'sqlite') return (await import('./other-stores.ts')).openOther()
  const template = process.env[VARIABLE]
  if (template !== undefined && !existsSync(path)) copyFileSync(join(template, 'coordination.db'), path)
  return openStore(path, { migrations, ...options })
}

/** Ada's empty repository on branch main in `root`, which may exist already. */
export const initialised = (root: string): void => {
  const template = process.env[VARIABLE]
  if (template === undefined) initialise(root)
  else cpSync(join(template, 'shop'), root, { recursive: true })
}

const initialise = (root: string): void => {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', args, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    })
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
}
