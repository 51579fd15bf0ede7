import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { bareProgram, screensFile } from '../bare-program.ts'
import { fullSize } from '../board.ts'
import { program, repositoryOf } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const ROUNDS = 9
const size = { columns: 200, rows: 50 }

/**
 * The console's first frame with the board in it compared with a bare Ink program that is bundled as the console is and
 * draws the same screen, alternating; and with ccmanager, if it is installed.
 */
export const firstFrame = async (): Promise<Row> => {
  const root = await repositoryOf(fullSize)
  const same = screensFile([await firstScreen(root)])
  const shows = (text: string): boolean => text.includes('Task number')
  const bare = { argv: [process.execPath, await bareProgram('bare-screen'), same], shows, times: [] as number[] }
  const ours = { argv: [process.execPath, program], shows, times: [] as number[] }
  const peer = {
    argv: [process.execPath, onPath('ccmanager') ?? ''],
    shows: (text: string) => text.trim() !== '',
    times: [] as number[],
  }
  const programs = peer.argv[1] === '' ? [bare, ours] : [bare, ours, peer]
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { argv, shows, times } of programs) {
      const screen = openScreen(argv, { ...size, cwd: root })
      const time = await screen.until(shows)
      await screen.end()
      // The first round fills the compile caches.
      if (round > 0) times.push(time)
    }
  }
  const ratio = median(ours.times) / median(bare.times)
  const against =
    peer.times.length === 0
      ? 'ccmanager is not installed'
      : `${(median(ours.times) / median(peer.times)).toFixed(2)}× ccmanager (${ms(median(peer.times))})`
  return {
    what: 'first frame of the console / bare bundled Ink with the same screen',
    measured: `${ratio.toFixed(2)}× (${ms(median(ours.times))} / ${ms(median(bare.times))}); ${against}`,
    target: '≤ 2×',
    kept: ratio <= 2,
  }
}

const firstScreen = async (root: string): Promise<string> => {
  const screen = openScreen([process.execPath, program], { ...size, cwd: root })
  await screen.until((text) => text.includes('Task number'))
  const text = screen.text()
  await screen.end()
  return text
}

const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
