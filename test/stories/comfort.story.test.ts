import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop } from './pty.ts'

it.concurrent(
  'the theme follows the background that the terminal reports, and that report presses no key',
  generous,
  async (test) => {
    const shop = openShop(test)
    const dark = await shop.console({ background: 'rgb:0000/0000/0000' })
    await dark.until('[1 Board]')
    // SGR 36 is cyan of the sixteen colours; the light theme has 38;5;24 instead.
    test.expect(dark.written()).toContain('\u001b[36m')
    test.expect(dark.written()).not.toContain('\u001b[38;5;24m')
    dark.press('q')
    test.expect(await dark.ended()).toBe(0)

    const light = await shop.console({ background: 'rgb:ffff/ffff/ffff' })
    // A busy machine may read the answer only after the first frame.
    await light.shows('the light theme', () => light.written().includes('\u001b[38;5;24m'))
    // The letters of the answer opened neither the form of a new task nor a filter.
    test.expect(light.text()).toMatch(/s spawn .* q quit/)
    light.press('q')
    test.expect(await light.ended()).toBe(0)

    const plain = await shop.console({ background: 'rgb:ffff/ffff/ffff', environment: { NO_COLOR: '1' } })
    await plain.until('[1 Board]')
    // oxlint-disable-next-line no-control-regex -- colours are what is looked for
    test.expect(plain.written()).not.toMatch(/\u001b\[3[0-8](?:;[\d;]*)?m/)
  },
)

it.concurrent(
  'the mouse selects, scrolls and presses what it points at, and is released whenever another program has the terminal',
  generous,
  async (test) => {
    const shop = openShop(test)
    writeFileSync(join(shop.folder, 'shell'), '#!/bin/sh\necho "in the shell"\nread line\n', { mode: 0o755 })
    const screen = await shop.console({ environment: { SHELL: join(shop.folder, 'shell') } })
    screen.press('p')
    await screen.until('‖ paused')
    await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0' })))
    await screen.until(/▸ +1 .*Bake/)
    await screen.until(/ 3 .*Slice/)
    await screen.shows('the mouse on', () => screen.mouse())

    screen.click('Cool')
    await screen.until(/▸ +2 .*Cool/)
    screen.click('4 Worktrees')
    await screen.until('[4 Worktrees]')
    screen.click('? help')
    await screen.until('[Keys]')
    screen.press(escape)
    await screen.until('[4 Worktrees]')
    screen.press(':')
    await screen.until('[Commands]')
    screen.press('task')
    await screen.until('task cancel · ')
    screen.click('task add · ')
    await screen.until(/▸ … +task add · /)
    screen.press(`${enter}${enter}`)
    await screen.until('✗ This field is required.')
    // Below the line with the error of the first field.
    screen.click('--priority ')
    await screen.until(/▸--priority /)
    screen.press(escape)
    await screen.until('[4 Worktrees]')

    screen.press('o')
    await screen.until('in the shell')
    test.expect(screen.mouse()).toBe(false)
    screen.press('\r')
    await screen.until('[4 Worktrees]')
    await screen.shows('the mouse on again', () => screen.mouse())

    screen.click('q quit')
    test.expect(await screen.ended()).toBe(0)
    test.expect(screen.mouse()).toBe(false)
  },
)

it.concurrent('the mouse can be disabled, and is always disabled with a screen reader', generous, async (test) => {
  const shop = openShop(test, { config: 'console: {mouse: false}\n' })
  const screen = await shop.console()
  await screen.until('[1 Board]')
  test.expect(screen.written()).not.toContain('\u001b[?1000h')
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

it.concurrent('the terminal is restored after the end by a signal', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await screen.shows('the mouse on', () => screen.mouse())
  process.kill(screen.pid, 'SIGTERM')
  await screen.ended()
  test.expect(screen.mouse()).toBe(false)
  test.expect(screen.written()).toContain('\u001b[?1049l')
  test.expect(screen.written()).toContain('\u001b[?2004l')
})

it.concurrent('a paste into a field joins its lines with spaces and submits nothing', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press('n')
  await screen.until('[New task]')
  screen.paste('one\ntwo\n\u001b[<0;2;38Mthree\n')
  await screen.until(/▸Title +one two .*three/)
  await screen.until('[New task]')
  test.expect(await shop.answer('task', 'list')).toEqual([])
  // It comes directly after Esc: that leaves the form, and the pasted text presses no key.
  screen.press(escape)
  screen.paste('q\nn\n')
  await screen.until('Paste text into a form.')
  await screen.lacks('[New task]')
  test.expect(await shop.answer('task', 'list')).toEqual([])
})

it.concurrent(
  'keys follow the configuration, and an invalid key stops the start with its place',
  generous,
  async (test) => {
    const shop = openShop(test, { config: 'console:\n  keys:\n    new: A\n    zoom: [z]\n    undo: Z\n' })
    const screen = await shop.console()
    await screen.until('A new')
    screen.press('n')
    screen.press('A')
    await screen.until('[New task]')
    screen.press(escape)
    await screen.until('[1 Board]')
    screen.press('z')
    await screen.lacks('3 Log')
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)

    shop.write({ '.aiswarm/config.yaml': 'console:\n  keys:\n    new: A\n    spawn: r\n' })
    const refused = shop.start(['tui', '--root', shop.root])
    test.expect(await refused.ended()).toBe(1)
    test
      .expect(refused.text().replaceAll('\n', ''))
      .toContain(".aiswarm/config.yaml:4: console.keys.spawn: 'r' of 'spawn' is already the key of 'retry'")
  },
)

it.concurrent(
  'the next console of the project remembers panes, theme and the end of the guide',
  generous,
  async (test) => {
    const shop = openShop(test)
    const first = await shop.console()
    await first.until('? shows all keys')
    first.press(escape)
    await first.lacks('? shows all keys')
    first.press('2')
    await first.until('[2 Agents]')
    first.press('_')
    await first.lacks('2 Agents')
    first.press('\u0014')
    await first.until('Theme: dark.')
    first.press('q')
    test.expect(await first.ended()).toBe(0)
    test.expect(existsSync(join(shop.root, '.aiswarm/console.json'))).toBe(true)

    const second = await shop.console({ background: 'rgb:ffff/ffff/ffff' })
    await second.until('[1 Board]')
    test.expect(second.text()).not.toContain('2 Agents')
    test.expect(second.text()).not.toContain('? shows all keys')
    test.expect(second.written()).toContain('\u001b[36m')
    second.press('2')
    await second.until('[2 Agents]')
  },
)

it.concurrent('a screen reader gets sentences, without borders and columns', generous, async (test) => {
  const shop = openShop(test)
  await shop.add('JWT auth API', 'exit 0')
  const screen = shop.start(['tui', '--root', shop.root], { environment: { INK_SCREEN_READER: '1' } })
  await screen.until(/[Tt]ask 1, JWT auth API, done.*, agent implementer-1\./)
  test.expect(screen.text()).not.toMatch(/[╭│├╰▸░]/)
  test.expect(screen.mouse()).toBe(false)
  screen.press('n')
  await screen.until('New task')
  await screen.until('Current field: Title: ')
  screen.press(escape)
  await screen.lacks('New task')
  screen.press(':')
  await screen.until(/Selected: spawn, Start an agent/)
  screen.press('retry')
  await screen.until('typed: retry')
  await screen.until(/Selected: retry, [^]*, key r/)
  test.expect(screen.text()).not.toMatch(/[╭│├╰▸◂░]/)
  screen.press(escape)
  await screen.lacks('typed: retry')
  screen.press('P')
  await screen.until('implementer-1: 1 attempt, 1 completed')
  test.expect(screen.text()).not.toMatch(/[╭│├╰▸◂░█▒]/)
  screen.press(escape)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

it.concurrent('a word that is typed by mistake starts nothing in the strict mode', generous, async (test) => {
  const shop = openShop(test, { config: 'console: {strict: true}\n' })
  const screen = await shop.console()
  await screen.until('[1 Board]')
  screen.press('p')
  await screen.until("Strict mode: press ctrl-x, then p, to run 'pause'.")
  test.expect(screen.text()).not.toContain('‖ paused')
  screen.press('\u0018p')
  await screen.until('‖ paused')
  screen.press(enter)
})
