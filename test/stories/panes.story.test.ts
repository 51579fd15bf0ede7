import { it } from 'vitest'
import { generous, openShop, type Screen } from './pty.ts'

const rowOf = (text: string, words: string): number => text.split('\n').findIndex((line) => line.includes(words))

/** Pulls what is at a row to another one, step by step as a hand does. */
const pull = (screen: Screen, from: number, to: number): void => {
  const at = (button: number, row: number, end: string): string => `\u001b[<${button};10;${row + 1}${end}`
  screen.press(at(0, from, 'M'))
  for (let row = from; row !== to; row += Math.sign(to - from)) screen.press(at(32, row, 'M'))
  screen.press(`${at(32, to, 'M')}${at(0, to, 'm')}`)
}

it.concurrent('ended agents are folded into one line, and a key shows them', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console({ columns: 120, rows: 36 })
  await shop.addAll(['Bake', 'Cool', 'Slice', 'Sell'].map((title) => ({ title, command: 'exit 0' })))
  // The selected one stays in its row.
  await screen.until('3 ended; U shows them')
  screen.press('U')
  await screen.lacks('U shows them')
  await screen.shows('four rows', (text) => text.split('ended ✓').length === 5)
  screen.press('U')
  await screen.until('3 ended; U shows them')
})

it.concurrent(
  'a border that the mouse has pulled or a key has moved is there in the next console',
  generous,
  async (test) => {
    const shop = openShop(test)
    const size = { columns: 200, rows: 50 }
    const first = await shop.console(size)
    await shop.add('Bake', 'exit 0')
    await first.until(/✓ done .*Bake/)
    await first.shows('the mouse on', () => first.mouse())
    const before = rowOf(first.text(), '2 Agents')
    pull(first, before, before - 9)
    await first.shows('the pulled border', (text) => rowOf(text, '2 Agents') === before - 9)
    first.press('4+')
    await first.until('[4 Worktrees]')
    const key = rowOf(first.text(), '4 Worktrees')
    test.expect(key).toBeLessThan(before)
    first.press('q')
    test.expect(await first.ended()).toBe(0)

    const second = await shop.console(size)
    await second.shows(
      'both borders',
      (text) => rowOf(text, '2 Agents') === before - 9 && rowOf(text, '4 Worktrees') === key,
    )
    second.press('=')
    await second.shows('the borders of the content', (text) => rowOf(text, '2 Agents') === before)
  },
)
