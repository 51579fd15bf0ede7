import { mkdirSync, writeFileSync } from 'node:fs'
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

/** The console's first frame with the board in it against a bare Ink program of one line, bundled alike, in turns. */
export const firstFrame = async (): Promise<Row> => {
  const bare = await bundleBareInk()
  const root = await repositoryOf(fullSize)
  const [forConsole, forBare]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const ink = openScreen([process.execPath, bare], { ...size, cwd: root })
    const bareTime = await ink.until((text) => text.includes('one line'))
    await ink.end()
    const console = openScreen([process.execPath, program], { ...size, cwd: root })
    const consoleTime = await console.until((text) => text.includes('Task number'))
    await console.end()
    // The first round fills the compile caches.
    if (round === 0) continue
    forConsole.push(consoleTime)
    forBare.push(bareTime)
  }
  const ratio = median(forConsole) / median(forBare)
  return {
    what: 'first frame of the console / bare Ink program',
    measured: `${ratio.toFixed(2)}× (${ms(median(forConsole))} / ${ms(median(forBare))})`,
    target: '≤ 1.5×',
    kept: ratio <= 1.5,
  }
}

const bundleBareInk = async (): Promise<string> => {
  const folder = scratch()
  mkdirSync(folder, { recursive: true })
  const { default: config } = (await import('../../tsdown.config.ts')) as { default: Record<string, unknown> }
  await build({
    ...config,
    config: false,
    entry: { main: fileURLToPath(new URL('../workers/bare-ink.ts', import.meta.url)) },
    outDir: folder,
    logLevel: 'silent',
  })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  return join(folder, 'main.js')
}
