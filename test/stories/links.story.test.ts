import { setTimeout as pause } from 'node:timers/promises'
import { it } from 'vitest'
import { enter, escape, generous, openShop, type Screen, type Shop } from './pty.ts'

// A terminal at the far end of a line that is slow, hangs, or tears keys apart.

const patient = { timeout: 60_000 }

/** Three tasks that nothing starts. */
const threeTasks = async (shop: Shop, size: Parameters<Shop['console']>[0]): Promise<Screen> => {
  const screen = await shop.console(size)
  screen.press('p')
  await screen.until('‖ paused')
  await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0' })))
  await screen.until(/ 3 .*Slice/)
  return screen
}

it.concurrent('over a line that takes 200 ms every key counts once, in its order', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop, { delay: 200, environment: { SSH_CONNECTION: '192.0.2.1 5000 192.0.2.2 22' }, background: 'rgb:0000/0000/0000' })
  // One by one and blindly, long before anything that they do is seen.
  for (const key of ['G', 'k', '\u001b[A', '\u001b[B', '\u001b[B', 'n', ...'The quick brown fox, 42 times', '\u007f', '\u007f', '\u007f']) {
    screen.press(key)
    await pause(3)
  }
  await screen.until(/▸Title +The quick brown fox, 42 ti /)
  screen.press(enter)
  await screen.until('Task 4 “The quick brown fox, 42 ti” is on the board.')
  await screen.until(/▸ +3 .*Slice/)
  test.expect((await shop.answer<readonly { title: string }[]>('task', 'list')).map(({ title }) => title).sort()).toEqual(['Bake', 'Cool', 'Slice', 'The quick brown fox, 42 ti'])
  // Esc alone, and with another right behind it.
  screen.press('?')
  await screen.until('[Keys]')
  screen.press(escape)
  await screen.lacks('[Keys]')
  screen.press(':')
  await screen.until('[Commands]')
  screen.press('?')
  screen.press(escape)
  screen.press(escape)
  await screen.lacks('[Commands]')
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

it.concurrent('a key that comes in pieces is one key, and Esc alone is Esc', generous, async (test) => {
  const shop = openShop(test)
  // As long as a line that tears keys needs; over the network it is less by itself.
  const screen = await threeTasks(shop, { environment: { ESCDELAY: '3000' } })
  const torn = async (...pieces: readonly string[]): Promise<void> => {
    for (const piece of pieces) {
      screen.press(piece)
      await pause(100)
    }
  }
  screen.press(':')
  await screen.until(/\[Commands\]/)
  const [first] = await screen.until(/▸ \S+ +\S+/)
  await torn(escape, '[B')
  await screen.shows('the second command', (text) => text.includes('[Commands]') && !text.includes(first!))
  await torn('\u001b[', 'A')
  await screen.until(first!)
  await torn(escape, 'O', 'B')
  await screen.shows('the second command', (text) => text.includes('[Commands]') && !text.includes(first!))
  screen.press(escape)
  await screen.lacks('[Commands]')
  await screen.until('[1 Board]')
})

it.concurrent('a terminal that does not read holds nothing up; it misses frames, and then has the last one whole', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.reads(false)
  const shown = screen.written().length
  // Some hundred frames, more than fit on any line.
  for (let frame = 0; frame < 120; frame++) {
    screen.press('?')
    await pause(15)
    screen.press(escape)
    await pause(25)
  }
  // The loops of this very console start the agent and see its end.
  await shop.add('Bake', 'echo baked')
  await test.expect.poll(async () => (await shop.answer<{ status: string }>('task', 'show', '1')).status, patient).toBe('completed')
  screen.press('n')
  screen.press('Cool')
  screen.press(enter)
  await test.expect.poll(async () => (await shop.answer<readonly unknown[]>('task', 'list')).length, patient).toBe(2)
  screen.reads(true)
  await screen.until(/ 1 .*✓ done .*Bake/)
  await screen.until(/ 2 .* Cool/)
  // What the line held, and one frame or two behind it.
  test.expect(screen.written().length - shown).toBeLessThan(250_000)
  await screen.until('[1 Board]')
  const lines = screen.text().split('\n')
  test.expect(lines[0]).toMatch(/^ aiswarm +shop /)
  test.expect(lines[1]).toMatch(/^╭.*╮$/)
  test.expect(lines[38]).toContain('? help')
  test.expect(lines.filter((line) => line.includes('Keys'))).toEqual([])
  // It goes on as ever.
  screen.press('?')
  await screen.until('[Keys]')
  screen.press(escape)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
  test.expect(screen.isAlternate()).toBe(false)
})

it.concurrent('what is copied reaches a terminal that was behind', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press(':')
  await screen.until('[Commands]')
  screen.press('task add')
  await screen.until(/▸.*task add/)
  screen.press(enter)
  await screen.until('ctrl-y copies the line')
  screen.reads(false)
  for (let letter = 0; letter < 150; letter++) {
    screen.press('x')
    await pause(10)
  }
  screen.press('\u0019')
  screen.reads(true)
  await screen.until('x'.repeat(20))
  await screen.shows('the line on its way to the clipboard', () => screen.written().includes('\u001b]52;c;'))
  screen.press(escape)
  await screen.lacks('ctrl-y copies')
})

it.concurrent('a console whose terminal reads nothing any more can be ended', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.reads(false)
  for (let frame = 0; frame < 60; frame++) {
    screen.press('?')
    await pause(15)
    screen.press(escape)
    await pause(25)
  }
  process.kill(screen.pid, 'SIGTERM')
  await test.expect
    .poll(() => {
      try {
        return process.kill(screen.pid, 0)
      } catch {
        return 'gone'
      }
    }, patient)
    .toBe('gone')
  // Whoever reads again has a terminal as before.
  screen.reads(true)
  await screen.ended()
  await test.expect.poll(() => screen.isAlternate() || screen.mouse(), patient).toBe(false)
})
