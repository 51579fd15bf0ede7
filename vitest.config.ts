import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testHome } from './test/home.ts'
import { inkTable } from './src/ui/ink-table-plugin.ts'

/** Files of these share the modules of a worker: loading them anew for each took longer than many of the tests. */
const sharing = ['agents', 'cli', 'db', 'domain', 'matrix', 'mcp', 'memory', 'operations'].map((folder) => `test/${folder}/**/*.test.ts`)

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
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    // What the fixtures run (sleep, cat) may be missing from a PATH that holds only node, npm and git.
    PATH: [process.env['PATH'], '/usr/bin', '/bin'].join(':'),
    // Fixtures are sources; hundreds of processes strip the types of the same files.
    NODE_COMPILE_CACHE: join(tmpdir(), 'aiswarm-test-compile-cache'),
  },
  // Ink puts its own console in place while it draws, which vitest's replacement cannot stand in for.
  disableConsoleIntercept: true,
  // ink-table is CommonJS that requires ink, which node refuses; inlined, it passes through the plugin below.
  server: { deps: { inline: ['ink-table'] } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/build.ts'],
    // Most of the time is spent waiting for processes; vitest would leave one of two cores alone.
    maxWorkers: 3,
    projects: [
      { plugins: [inkTable()], test: { ...common, name: 'apart', include: ['test/**/*.test.ts', 'test/**/*.test.tsx'], exclude: sharing } },
      { plugins: [inkTable()], test: { ...common, name: 'sharing', include: sharing, isolate: false } },
    ],
  },
})
