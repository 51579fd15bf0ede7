import { defineConfig } from 'vitest/config'
import { inkTable } from './src/ui/ink-table-plugin.ts'

export default defineConfig({
  plugins: [inkTable()],
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/build.ts'],
    testTimeout: 30_000,
    // Most of the time is spent waiting for processes; vitest would leave one of two cores alone.
    maxWorkers: 3,
    // What the fixtures run (sleep, cat) may be missing from a PATH that holds only node, npm and git.
    env: { PATH: [process.env['PATH'], '/usr/bin', '/bin'].join(':') },
    // Ink puts its own console in place while it draws, which vitest's replacement cannot stand in for.
    disableConsoleIntercept: true,
    // ink-table is CommonJS that requires ink, which node refuses; inlined, it passes through the plugin above.
    server: { deps: { inline: ['ink-table'] } },
  },
})
