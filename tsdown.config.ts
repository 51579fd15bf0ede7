import { defineConfig } from 'tsdown'
import { keptRows } from './src/ui/frames/kept-rows-plugin.ts'
import { inkTable } from './src/ui/ink-table-plugin.ts'
import { remembered } from './src/ui/frames/remembered-plugin.ts'

export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22',
  outDir: 'dist',
  clean: true,
  dts: false,
  // Bundled, the first frame comes in about half the time. The native module stays outside, and prom-client with the
  // OpenTelemetry it requires: bundled, that ends in "Cannot access 'require_types' before initialization".
  deps: { alwaysBundle: [/.*/], neverBundle: ['better-sqlite3', 'prom-client'], onlyBundle: false },
  outExtensions: () => ({ js: '.js' }),
  define: { 'process.env.NODE_ENV': '"production"' },
  // Names are kept, so that what a stack says can be read.
  minify: { compress: false, mangle: false, codegen: true },
  outputOptions: {
    codeSplitting: {
      groups: [
        atOnce('core', 2, ['db/open', 'effects/(?:repository|open-core|identity|outside)', 'operations/begin-session']),
        atOnce('console', 1, ['ui/console', 'effects/(?:console-world|ancestry)']),
      ],
    },
  },
  plugins: [inkTable(), remembered(), keptRows(), withoutDevtools(), withoutFetch()],
  logLevel: 'warn',
})

/** These modules of ours, with all that they import, in one file: Node takes a fifth of a millisecond or more for each file of a hundred. */
function atOnce(name: string, priority: number, modules: readonly string[]) {
  return { name, priority, test: new RegExp(`[\\\\/]src[\\\\/](?:${modules.join('|').replaceAll('/', '[\\\\/]')})\\.tsx?$`) }
}

/** Ink looks for React's developer tools, which no user of aiswarm has. */
function withoutDevtools() {
  const id = 'react-devtools-core'
  return {
    name: 'without-react-devtools',
    resolveId: (source: string) => (source === id ? `\0${id}` : null),
    load: (loaded: string) => (loaded === `\0${id}` ? 'export default {}' : null),
  }
}

/** Yoga takes its layout engine out of its own text by `fetch`, for which Node first loads an HTTP client: 20 ms of the first frame. */
function withoutFetch() {
  return {
    name: 'yoga-without-fetch',
    transform: (code: string, id: string) => (/yoga-wasm-base64-esm\.js$/.test(id) ? `const fetch = undefined\n${code}` : null),
  }
}
