import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testHome } from './test/home.ts'
import { longTests } from './test/long-tests.ts'
import { ofDay } from './test/support/dose.ts'
import { postgresPrograms } from './test/support/postgres.ts'
import { fastFolder } from './test/support/fast-folder.ts'
import { inkTable } from './build/ink-table.ts'

const every = ['test/**/*.test.ts', 'test/**/*.test.tsx']
const ui = ['test/ui/**/*.test.ts', 'test/ui/**/*.test.tsx']

/**
 * Files that replace modules, the environment or the clock that a module remembers, which load their modules alone. All
 * others share those of a worker: loading them again takes longer than many of the tests.
 */
const alone = [
  'test/components/lines.test.tsx',
  'test/components/paint.test.tsx',
  ...globSync(['test/effects/**/*.test.ts', 'test/stories/**/*.test.ts'])
    .sort()
    .filter((file) => /\bvi\.(?:do)?[mM]ock\(|\bvi\.stub|\bprocess\.env\[.*\] = /.test(readFileSync(file, 'utf8'))),
  'test/ui/core/timers.test.ts',
  'test/ui/feeds/idle.test.ts',
  'test/ui/safety/fields.test.ts',
  'test/ui/screen/spoken-views.test.ts',
  'test/ui/truth.test.ts',
]

/** What is looked for in the words of sources, which `npm run lint` does with all else that it looks for there. */
const lint = ['test/{comments,words,words-of-tests}.test.ts']

/** Tests of the store on a server, which run where its engine is. */
const onServer = ['test/postgres/**']

const isUi = (glob: string): boolean => glob.startsWith('test/ui/')

const common = {
  // Limits end what hangs; nothing is measured by them. Hooks end the processes of a test.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  env: {
    // Nothing of the person's machine takes part: no git configuration, no language, no home.
    HOME: testHome,
    XDG_CONFIG_HOME: join(testHome, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    // The tests of the sandbox switch it on; all others test something else, with signs in folders that it would hide.
    AISWARM_SANDBOX: process.env['AISWARM_SANDBOX'] ?? 'off',
    // Several hosts on this one machine, which the tests keep busy.
    AISWARM_MAX_LOAD: 'off',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    // What the fixtures run (sleep, cat) may be missing from a PATH that holds only node, npm and git.
    PATH: [process.env['PATH'], '/usr/bin', '/bin'].join(':'),
    // Fixtures are sources; hundreds of processes strip the types of the same files.
    NODE_COMPILE_CACHE: join(tmpdir(), 'aiswarm-test-compile-cache'),
  },
  // A process is copied page by page when it starts another: a small young generation keeps that cheap.
  execArgv: ['--max-semi-space-size=2'],
  // Ink puts its own console in place while it draws, which vitest's replacement cannot stand in for.
  disableConsoleIntercept: true,
  // ink-table is CommonJS that requires ink, which node refuses; inlined, it passes through the plugin below.
  server: { deps: { inline: ['ink-table'] } },
}

/** Temporary files of tests that are run often wait for no disk; the long ones prove what a disk does. */
const quick = { ...common, env: { ...common.env, TMPDIR: fastFolder } }

/** The console's tests use React as the built program does; that of developers, which the components' tests use, takes twice as long to draw. */
// What is transformed for it is kept apart: the cache does not tell by which JSX a module was made.
const asBuilt = {
  ...common,
  env: { ...common.env, NODE_ENV: 'production' },
  fsModuleCachePath: 'node_modules/.vitest-cache-as-built',
}
const quickAsBuilt = { ...asBuilt.env, TMPDIR: fastFolder }
const oxc = { jsx: { development: false } }

type Engine = 'postgresql' | 'pglite'

/** The operations on another engine than SQLite, the same tests. */
const onEngine = (
  engine: Engine,
  name = `long on ${engine}`,
  include = ['test/operations/**/*.test.ts', ...onServer],
) => ({
  test: {
    ...common,
    name,
    include,
    // Several processes on the file of SQLite; those on a server are in test/postgres.
    exclude: ['test/operations/tasks/race.test.ts', ...(engine === 'pglite' ? onServer : [])],
    isolate: false,
    testTimeout: 300_000,
    env: { ...common.env, AISWARM_TEST_STORE: engine },
    setupFiles: ['test/support/other-store-setup.ts'],
  },
})

/** Thousands of steps of random sessions, which take three times as long on a server. */
const slowThere = ['test/operations/sessions/replay.test.ts']

/** A part of them for every day, on a server where there is one. */
const engineHere: Engine = postgresPrograms() === undefined ? 'pglite' : 'postgresql'
const partOfDay = onEngine(engineHere, 'operations on another engine', [
  ...ofDay(globSync('test/operations/**/*.test.ts', { exclude: [...longTests, ...slowThere] }).sort(), 18),
  ...(engineHere === 'postgresql'
    ? ['test/postgres/interleavings.test.ts', 'test/postgres/row-statements.test.ts']
    : []),
])

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    reporters: ['default', './test/support/skipped-reporter.ts'],
    // Most of the time is spent waiting for processes; vitest would leave one of two cores alone.
    maxWorkers: 3,
    projects: [
      {
        plugins: [inkTable()],
        test: {
          ...quick,
          name: 'shared',
          include: every,
          exclude: [...ui, ...alone, ...lint, ...onServer, ...longTests],
          isolate: false,
        },
      },
      { plugins: [inkTable()], test: { ...quick, name: 'alone', include: alone, exclude: [...ui, ...longTests] } },
      {
        plugins: [inkTable()],
        oxc,
        test: {
          ...asBuilt,
          env: quickAsBuilt,
          name: 'ui',
          include: ui,
          exclude: [...alone, ...longTests],
          isolate: false,
        },
      },
      {
        plugins: [inkTable()],
        oxc,
        test: { ...asBuilt, env: quickAsBuilt, name: 'ui alone', include: alone.filter(isUi), exclude: [...longTests] },
      },
      { test: { ...quick, name: 'lint', include: lint, isolate: false } },
      { test: { ...partOfDay.test, env: { ...partOfDay.test.env, AISWARM_ONE_IN: '149' } } },
      ...(['postgresql', 'pglite'] as const).map((engine) => onEngine(engine)),
      {
        plugins: [inkTable()],
        test: {
          ...common,
          name: 'long stories on postgresql',
          include: ['test/stories/*.story.test.ts', 'test/stories/kill-loop.test.ts'],
          env: { ...common.env, AISWARM_TEST_STORE: 'postgresql' },
        },
      },
      {
        plugins: [inkTable()],
        test: { ...common, name: 'long', include: [...longTests], exclude: [...ui, ...onServer] },
      },
      { plugins: [inkTable()], oxc, test: { ...asBuilt, name: 'long ui', include: longTests.filter(isUi) } },
    ],
  },
})
