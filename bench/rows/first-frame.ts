import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { scratch } from '../bench-core.ts'
import { fullSize } from '../board.ts'
import { program, repositoryOf } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const ROUNDS = 7
const size = { columns: 200, rows: 50 }

/**
 * The console's first frame with the board in it compared with a bare Ink program of one line, alternating: as
 * written, with Ink in node_modules, and also bundled like the console.
 */
export const firstFrame = async (): Promise<Row> => {
  const [written, bundled] = [await bareInk('as written'), await bareInk('bundled')]
  const root = await repositoryOf(fullSize)
  const programs = [
    { path: written, shows: 'one line', times: [] as number[] },
    { path: bundled, shows: 'one line', times: [] as number[] },
    { path: program, shows: 'Task number', times: [] as number[] },
  ] as const
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { path, shows, times } of programs) {
      const screen = openScreen([process.execPath, path], { ...size, cwd: root })
      const time = await screen.until((text) => text.includes(shows))
      await screen.end()
      // The first round fills the compile caches.
      if (round > 0) times.push(time)
    }
  }
  const [bare, bareBundled, console] = programs.map(({ times }) => median(times)) as [number, number, number]
  const ratio = console / bare
  return {
    what: 'first frame of the console / bare Ink program',
    measured: `${ratio.toFixed(2)}× (${ms(console)} / ${ms(bare)}); ${(console / bareBundled).toFixed(2)}× one that is bundled as the console is (${ms(bareBundled)})`,
    target: '≤ 1.5×',
    kept: ratio <= 1.5,
  }
}

const bareInk = async (how: 'as written' | 'bundled'): Promise<string> => {
  const folder = scratch()
  mkdirSync(folder, { recursive: true })
  const { default: config } = (await import('../../tsdown.config.ts')) as { default: Record<string, unknown> }
  await build({
    ...config,
    ...(how === 'bundled' ? {} : { deps: { neverBundle: [/.*/] } }),
    config: false,
    entry: { main: fileURLToPath(new URL('../workers/bare-ink.ts', import.meta.url)) },
    outDir: folder,
    logLevel: 'silent',
  })
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  return join(folder, 'main.js')
}
