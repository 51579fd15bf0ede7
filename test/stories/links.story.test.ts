import { setTimeout as pause } from 'node:timers/promises'
import { it } from 'vitest'
import { enter, escape, generous, openShop, type Screen, type Shop } from './pty.ts'

// A terminal at the far end of a connection that is slow, hangs, or splits keys.

const patient = { timeout: 60_000 }

/** Three tasks that no agent starts. */
const threeTasks = async (shop: Shop, size: Parameters<Shop['console']>[0]): Promise<Screen> => {
  const screen = await shop.console(size)
  screen.press('p')
  await screen.until('‖ paused')
  await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0' })))
  await screen.until(/ 3 .*Slice/)
  return screen
}

it.concurrent('every key counts once and in order over a connection with a delay of 200 ms', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop, {
    delay: 200,
    environment: { SSH_CONNECTION: '192.0.2.1 5000 192.0.2.2 22' },
    background: 'rgb:0000/0000/0000',
  })
  // One by one and blindly, long before any effect is visible.
  for (const key of [
    'G',
    'k',
    '\u001b[A',
    '\u001b[B',
    '\u001b[B',
    'n',
    ...'The quick brown fox, 42 times',
    '\u007f',
    '\u007f',
    '\u007f',
  ]) {
    screen.press(key)
    await pause(3)
  }
  await screen.until(/▸Title +The quick brown fox, 42 ti /)
  screen.press(enter)
  await screen.until('Created task 4 “The quick brown fox, 42 ti”.')
  await screen.until(/▸ +3 .*Slice/)
  test
    .expect((await shop.answer<readonly { title: string }[]>('task', 'list')).map(({ title }) => title).sort())
    .toEqual(['Bake', 'Cool', 'Slice', 'The quick brown fox, 42 ti'])
  // Esc alone, and another one directly after it.
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
  // As long as a connection that splits keys needs; over the network it is shorter by default.
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

it.concurrent(
  'a terminal that does not read blocks nothing; it misses frames, and then shows the last one completely',
  generous,
  async (test) => {
    const shop = openShop(test)
    const screen = await shop.console()
    screen.reads(false)
    const shown = screen.written().length
    // Some hundred frames, more than fit on any connection.
    for (let frame = 0; frame < 120; frame++) {
      screen.press('?')
      await pause(15)
      screen.press(escape)
      await pause(25)
    }
    // The loops of this console start the agent and see its end.
    await shop.add('Bake', 'echo baked')
    await test.expect
      .poll(async () => (await shop.answer<{ status: string }>('task', 'show', '1')).status, patient)
      .toBe('completed')
    screen.press('n')
    screen.press('Cool')
    screen.press(enter)
    await test.expect.poll(async () => (await shop.answer<readonly unknown[]>('task', 'list')).length, patient).toBe(2)
    screen.reads(true)
    await screen.until(/ 1 .*✓ done .*Bake/)
    await screen.until(/ 2 .* Cool/)
    // The output that the connection held, and one or two frames after it.
    test.expect(screen.written().length - shown).toBeLessThan(250_000)
    await screen.until('[1 Board]')
    const lines = screen.text().split('\n')
    test.expect(lines[0]).toMatch(/^ aiswarm +shop /)
    test.expect(lines[1]).toMatch(/^╭.*╮$/)
    test.expect(lines[38]).toContain('? help')
    test.expect(lines.filter((line) => line.includes('Keys'))).toEqual([])
    // The console continues normally.
    screen.press('?')
    await screen.until('[Keys]')
    screen.press(escape)
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)
    test.expect(screen.isAlternate()).toBe(false)
  },
)

it.concurrent('copied text reaches a terminal that was late', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press(':')
  await screen.until('[Commands]')
  screen.press('task add')
  await screen.until(/▸.*task add/)
  screen.press(enter)
  await screen.until('ctrl-y copy line')
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
  await screen.lacks('ctrl-y copy')
})

it.concurrent('a console whose terminal no longer reads can be ended', generous, async (test) => {
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
  // A terminal that reads again is restored.
  screen.reads(true)
  await screen.ended()
  await test.expect.poll(() => screen.isAlternate() || screen.mouse(), patient).toBe(false)
})
