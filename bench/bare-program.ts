import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { scratch } from './bench-core.ts'

// The programs that the console is compared with: bare Ink, bundled exactly as the console is.

const built = new Map<string, Promise<string>>()

/** The path of a bundled program of `workers`, built once per run. */
export const bareProgram = (worker: 'bare-screen' | 'bare-watch' | 'bare-tail' | 'bare-pipe'): Promise<string> => {
  if (!built.has(worker)) built.set(worker, bundled(worker))
  return built.get(worker)!
}

const bundled = async (worker: string): Promise<string> => {
  const folder = scratch()
  mkdirSync(folder, { recursive: true })
  const { default: config } = (await import('../tsdown.config.ts')) as { default: Record<string, unknown> }
  await build({
    ...config,
    // The patches of Ink and of its table are a part of the console; the bare program has Ink as published.
    plugins: [],
    // It is one file, so nothing is shared with commands.
    outputOptions: {},
    config: false,
    entry: { main: fileURLToPath(new URL(`./workers/${worker}.ts`, import.meta.url)) },
    outDir: folder,
    logLevel: 'silent',
  })
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  return join(folder, 'main.js')
}

/** A file with screens for `bare-screen`: each key shows the next one. */
export const screensFile = (screens: readonly string[]): string => {
  const path = join(scratch(), 'screens.json')
  writeFileSync(path, JSON.stringify(screens.map((screen) => screen.split('\n'))))
  return path
}
