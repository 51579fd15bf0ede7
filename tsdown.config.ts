import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import { defineConfig } from 'tsdown'
import { inAscii } from './build/ascii.ts'
import { builtinsAtOnce } from './build/builtins.ts'
import { keptRows } from './build/ink-rows.ts'
import { type Dependencies, patchOf } from './build/must-match.ts'
import { sharedWithConsole } from './build/shared-with-console.ts'
import { inkTable } from './build/ink-table.ts'
import { remembered } from './build/ink-widths.ts'

const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  devDependencies: Dependencies
}

export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22',
  outDir: 'dist',
  clean: true,
  dts: false,
  // Bundled, the first frame comes in about half the time. Only the native module stays outside.
  deps: { alwaysBundle: [/.*/], neverBundle: ['better-sqlite3'], onlyBundle: false },
  outExtensions: () => ({ js: '.js' }),
  define: { 'process.env.NODE_ENV': '"production"' },
  // Names are kept, so that what a stack says can be read.
  minify: { compress: false, mangle: false, codegen: true },
  outputOptions: {
    codeSplitting: {
      groups: [
        // The processes around an agent load nothing else: its relay, those of its sandbox, and its doorway.
        atOnce('relay', 3, [
          'effects/talk/relay',
          'effects/sandbox/(?:entry|host|forwarder)',
          'effects/doorway/(?:entry|messages|connect|ask|pipe)',
        ]),
        atOnce('core', 2, [
          'db/sqlite/open',
          'effects/(?:git/repository|opening/(?:open-core|identity|outside))',
          'operations/sessions/begin-session',
        ]),
        // So that commands and MCP servers do not load React and Ink.
        { name: sharedWithConsole(), priority: 1 },
        atOnce('console', 0, ['ui/console', 'effects/opening/(?:console-world|ancestry)']),
      ],
    },
  },
  plugins: [
    ...patches('ink-table', inkTable()),
    ...patches('string-width', ...remembered()),
    ...patches('ink', keptRows(), without('react-devtools-core')),
    ...patches('prom-client', without('@opentelemetry/api')),
    ...patches('yoga-layout', withoutFetch()),
    builtinsAtOnce(),
    inAscii(),
  ],
  logLevel: 'warn',
})

function patches(dependency: string, ...plugins: readonly (Plugin & { readonly name: string })[]): Plugin[] {
  return plugins.map((plugin): Plugin => patchOf(dependency, plugin, devDependencies))
}

/** These modules of ours, with all that they import, in one file: Node takes a fifth of a millisecond or more for each file of a hundred. */
function atOnce(name: string, priority: number, modules: readonly string[]) {
  return {
    name,
    priority,
    test: new RegExp(`[\\\\/]src[\\\\/](?:${modules.join('|').replaceAll('/', '[\\\\/]')})\\.tsx?$`),
  }
}

/**
 * An empty module in the place of a package that we never use: React's developer tools, which Ink looks for, and
 * OpenTelemetry, which prom-client takes for metrics of the process that we do not register.
 */
function without(id: string) {
  return {
    name: `without-${id}`,
    resolveId: (source: string) => (source === id ? `\0${id}` : null),
    load: (loaded: string) => (loaded === `\0${id}` ? 'export default {}' : null),
  }
}

/** Yoga takes its layout engine out of its own text by `fetch`, for which Node first loads an HTTP client: 20 ms of the first frame. */
function withoutFetch() {
  return {
    name: 'yoga-without-fetch',
    transform: (code: string, id: string) =>
      /yoga-wasm-base64-esm\.js$/.test(id) ? `const fetch = undefined\n${code}` : null,
  }
}
