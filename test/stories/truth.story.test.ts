import { it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { generous, openShop, type Screen, timeless } from './pty.ts'

// Text whose width terminals overestimate, next to the rows of a changing board.

const said = 'สวัสดี น้ำ คำ ทำ '.repeat(12)

/** The rows of the board, up to their state. */
const rowsOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => /^│[▸ ][⚑ ] +(\d+) +\d+ {2}(\S \w+)/.exec(line)?.slice(1, 3).join(' ') ?? [])

/**
 * The lines except those about this console only (the header, the notice and the footer), without times, which two
 * consoles never count at the same moment.
 */
const panesOf = (screen: Screen): string => timeless(screen.text().split('\n').slice(1, -3).join('\n'))

const allDone = ['1 ✓ done', '2 ✓ done', '3 ✓ done', '4 ✓ done', '5 ✓ done']

const showsAll = (screen: Screen): Promise<void> =>
  screen.shows('a row for each task', (text) => rowsOf(text).join() === allDone.join())

it.concurrent(
  'every row of the board is on the screen, whatever is next to it and whatever sizes the screen had before',
  generous,
  async (test) => {
    const shop = openShop(test)
    await shop.addAll(
      ['First', 'Second', 'Third', 'Fourth', 'Fifth'].map((title) => ({
        title,
        command: `for n in 1 2 3 4 5 6; do echo '${said}'; done`,
      })),
    )
    const screen = await shop.console({ columns: 200, rows: 40 })
    await showsAll(screen)
    for (let n = 0; n < 4; n++) screen.press('j')
    await screen.until(/▸ +5 /)
    await screen.until('น้ำ')
    await showsAll(screen)
    // Smaller for a moment: the program finds the size that it knows.
    screen.resize(200, 30)
    screen.resize(200, 40)
    await showsAll(screen)
    const other = await shop.console({ columns: 200, rows: 40 })
    await showsAll(other)
    for (let n = 0; n < 4; n++) other.press('j')
    await other.until(/▸ +5 /)
    // Either may be the last to write, and a quiet one writes nothing more.
    await eventually(() => test.expect(panesOf(other)).toBe(panesOf(screen)))
  },
)
