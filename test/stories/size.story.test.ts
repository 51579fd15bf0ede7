import { it } from 'vitest'
import { escape, generous, openShop, type Screen, type Shop, timeless } from './pty.ts'

/** A board on which nothing moves. */
const stillBoard = async (shop: Shop): Promise<Screen> => {
  const screen = await shop.console()
  screen.press('p')
  await screen.until('‖ paused')
  await shop.worktree('greet')
  await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0', targetWorktree: 'greet' })))
  await screen.until(/ 3 .*Slice/)
  await screen.until(/greet +↑0 ↓0/)
  await screen.until('agents 0/3')
  await screen.lacks('supervised')
  return screen
}

it.concurrent(
  'a terminal that is too small shows a message, and the board again when it is large enough',
  generous,
  async (test) => {
    const shop = openShop(test)
    const screen = await stillBoard(shop)
    const before = timeless(screen.text())
    screen.resize(20, 5)
    await screen.until('terminal too small')
    await screen.until('this is 20×5')
    await screen.lacks('Board')
    // No effect would be visible, so the key does nothing.
    screen.press('j')
    screen.resize(120, 40)
    await screen.shows('the board as it was', (text) => timeless(text) === before)
    screen.press('j')
    await screen.until(/▸ +2 .*Cool/)
  },
)

it.concurrent(
  'a console that was opened in a terminal that is too small shows the board when the terminal grows',
  generous,
  async (test) => {
    const shop = openShop(test)
    await shop.add('Bake', 'exit 0', '--depends', String(await shop.add('Mix', 'exit 1')))
    const screen = await shop.console({ columns: 20, rows: 5 })
    await screen.until('q quit, agents run')
    screen.resize(80, 24)
    await screen.until(/ 2 .*Bake/)
    screen.resize(20, 5)
    await screen.until('terminal too small')
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)
  },
)

it.concurrent('a storm of resizes ends with one complete frame', generous, async (test) => {
  const shop = openShop(test)
  const screen = await stillBoard(shop)
  const before = timeless(screen.text())
  for (let storm = 0; storm < 30; storm++) {
    screen.resize(20 + ((storm * 37) % 140), 4 + ((storm * 11) % 50))
    // Some of them are handled one by one, others are merged.
    if (storm % 7 === 0) await screen.until(/Board|too small/)
  }
  screen.resize(120, 40)
  await screen.shows('the board as it was before the storm', (text) => timeless(text) === before)
})

const sizes = [
  { columns: 60, rows: 15, panes: ['1 Board'] },
  { columns: 80, rows: 24, panes: ['1 Board', '2 Agents', '3 Log', '4 Worktrees'] },
  { columns: 200, rows: 50, panes: ['1 Board', '2 Agents', '3 Log', '4 Worktrees'] },
]

it.concurrent('a board at 60×15, 80×24 and 200×50 is usable', generous, async (test) => {
  const shop = openShop(test)
  const screen = await stillBoard(shop)
  for (const { columns, rows, panes } of sizes) {
    screen.resize(columns, rows)
    await screen.shows(
      panes.join(', '),
      (text) => panes.every((pane) => text.includes(pane)) && text.split('\n')[rows - 2]!.includes('? help'),
    )
    for (const title of ['Bake', 'Cool', 'Slice']) await screen.until(title)
    test.expect(screen.text()).toContain('shop')
    screen.press('Gk')
    await screen.until(/▸ +2 .*Cool/)
    screen.press('4')
    await screen.until('[4 Worktrees]')
    await screen.until('▸greet')
    screen.press('3')
    await screen.until(/\[3 Log/)
    screen.press('2')
    await screen.until('[2 Agents]')
    screen.press('?')
    await screen.until('[Keys]')
    // The last line stays free; the footer is above it.
    test.expect(screen.text().split('\n').at(-1)).toBe('')
    screen.press(escape)
    await screen.until('[2 Agents]')
    screen.press('1')
    await screen.until('[1 Board]')
  }
})
