import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it, vi } from 'vitest'
import { openShop, programCommand, type Screen, timeless } from './pty.ts'

/** Pseudo-random numbers that repeat with the seed. */
const chance = (seed: number) => (): number => {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Keys that open each overlay and move in it, and that save nothing for the next console. */
const keys = [
  '\r',
  'C',
  'W',
  'm',
  'L',
  'T',
  'P',
  '@',
  '?',
  't',
  'j',
  'k',
  'g',
  'G',
  '\t',
  '1',
  '2',
  '3',
  '4',
  '\u001b[6~',
  '\u001b[5~',
  '\u001b[A',
  ' ',
  ']',
  '\u001b',
  '\u001b',
  '\u001b',
]

/** Views that accept text; they are left again at another size, before an enter can reach them. */
const typed = ['n日本', 'd日本', ':日本', '/日本']

const reporter = resolve(import.meta.dirname, '../fixtures/heap-reporter.mjs')

/** Megabytes that the console still holds after garbage collection. */
const held = async (pid: number, file: string): Promise<number> => {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  await vi.waitUntil(() => existsSync(file), { timeout: 60_000, interval: 20 })
  return Number(readFileSync(file, 'utf8')) / 1024 ** 2
}

/** Megabytes that twenty bursts may add; a leak of 10 MB per burst would be 200. */
const GROWTH = 40

/** The drawn panes without times and names, and without the mark of a followed or paused log, which may be cut. */
const panes = (screen: Screen): string =>
  screen
    .text()
    .split('\n')
    .slice(1, -2)
    .map((line) =>
      timeless(line)
        // Of the ended agents that are folded, the one that was selected last has a row.
        .replace(/▸· implementer-\d( +command +)\d+/, '▸· implementer $1')
        .replace(/[─ ]*(?:follow[a-z]*…?|pau[a-z]*…?|\d+ back)[─ ]*/, '')
        .trimEnd(),
    )
    .join('\n')

const answered = async (screen: Screen, act: () => void): Promise<void> => {
  const before = screen.written().length
  act()
  await screen.shows('a frame of the new size', () => screen.written().length > before)
}

const home = async (screen: Screen): Promise<void> => {
  // The last of them clears the filter.
  for (let n = 0; n < 12; n++) screen.press('\u001b')
  await screen.until(/1 Board/)
  // The log was left at some line of its middle, and follows again.
  screen.press('3')
  await screen.until(/\[3 /)
  screen.press('G')
  // The first row of each list is selected again.
  for (const pane of ['2', '4', '1']) {
    screen.press(pane)
    await screen.until(new RegExp(`\\[${pane} `))
    screen.press('g')
  }
  await screen.until(/▸⚑? +1 /)
}

it(
  'a storm of sizes while agents print and overlays open ends with a complete screen, and memory does not grow',
  { timeout: 600_000 },
  async (test) => {
    const seed = Number(process.env['AISWARM_SEED'] ?? Date.now() % 100_000)
    await test.annotate(`AISWARM_SEED=${seed}`)
    const next = chance(seed)
    const upTo = (most: number): number => 1 + Math.floor(next() * most)
    const shop = openShop(test)
    await shop.worktree('calm')
    const prints = `node -e 'let n = 0; const timer = setInterval(() => { console.log("line", ++n, "\u001b[3" + (n % 8) + "m" + "日本 word ".repeat(n % 40)); if (n > 1500) clearInterval(timer) }, 10)'`
    await shop.addAll([
      { title: 'Prints while the storm blows', command: prints },
      { title: 'Prints as well', command: prints, targetWorktree: 'calm' },
      { title: 'Wide 日本語 and long '.repeat(8), command: 'echo done' },
    ])
    const heap = join(shop.folder, 'heap')
    const [node, main] = programCommand as [string, string]
    const screen = shop.startProgram([node, '--expose-gc', '--import', reporter, main, 'tui', '--root', shop.root], {
      columns: 120,
      rows: 40,
      environment: { HEAP_FILE: heap },
    })
    await screen.until('1 Board')
    await screen.listens()
    await screen.until(/line \d+/)

    const blow = async (bursts: number): Promise<void> => {
      for (let burst = 0; burst < bursts; burst++) {
        await answered(screen, () => {
          for (let n = 0; n < 3; n++) {
            const text = burst % 4 === 0 ? typed[Math.floor(next() * typed.length)] : undefined
            screen.press(text ?? keys[Math.floor(next() * keys.length)]!)
            screen.resize(upTo(500), upTo(200))
            if (text !== undefined) screen.press('\u001b')
          }
          // Small sizes more often than chance would choose them.
          if (burst % 3 === 0) screen.resize(upTo(60), upTo(15))
        })
      }
    }
    await blow(15)
    const early = await held(screen.pid, heap)
    await blow(20)
    // Megabytes; the lines that the agents printed meanwhile are included.
    test.expect((await held(screen.pid, heap)) - early, `grew with seed ${seed}`).toBeLessThan(GROWTH)

    screen.resize(100, 30)
    await home(screen)
    await screen.until(/ 1 .*✓ done/)
    await screen.until(/ 2 .*✓ done/)
    await screen.until('line 1501')
    test.expect(screen.written()).not.toMatch(/This is a bug|TypeError|RangeError|Maximum update depth/)

    const fresh = await shop.console({ columns: 100, rows: 30 })
    await home(fresh)
    await fresh.until('line 1501')
    // Its worktrees are observed one after the other, and a complete screen writes no more.
    for (const each of [screen, fresh]) await each.until(/calm +↑0 ↓0/)
    // Either may be the last to write, and a quiet one writes nothing more.
    await vi.waitFor(() => test.expect(panes(screen), `what a fresh console shows (seed ${seed})`).toBe(panes(fresh)), {
      timeout: 60_000,
      interval: 100,
    })
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)
  },
)
