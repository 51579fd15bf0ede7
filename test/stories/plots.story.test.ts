import { it } from 'vitest'
import { enter, escape, generous, openShop, tab } from './pty.ts'

it.concurrent(
  'a session is plotted from its first moment on, and saved as one self-contained page',
  generous,
  async (test) => {
    const shop = openShop(test, { config: 'session: {maxRetries: 0}\n' })
    const screen = await shop.console({ columns: 120, rows: 36 })
    screen.press('P')
    await screen.until('0 attempts ended')
    await screen.until(/completed +0, 0\/h/)
    await screen.until('not reported')
    screen.press(escape)
    await screen.until('[1 Board]')

    await shop.addAll([
      { title: 'Bake <b>bread</b>', command: 'true' },
      { title: 'Burn', command: 'echo no; exit 3' },
    ])
    await screen.until(/ 1 .*✓ done/)
    await screen.until(/ 2 .*✗ failed/)
    screen.press('P')
    await screen.until('2 attempts ended')
    await screen.until(/completed +1, .*\/h/)
    await screen.until(/failed +1, .*\/h/)
    await screen.until(/0 open, 2 created, 2 closed/)
    await screen.until(/implementer-1 .*[█✗]/)
    screen.press(`${tab}${tab}`)
    await screen.until('[Burn-down]')
    screen.press(tab)
    await screen.until('[Attempts]')
    screen.press(escape)
    await screen.until('[1 Board]')

    screen.press(':')
    await screen.until('[Commands]')
    screen.press(`session report${enter}`)
    await screen.until(/\[session report\][^]*▸SESSION/)
    screen.press(tab)
    await screen.until('▸--out')
    screen.paste(`${shop.folder}/page.html`)
    await screen.until(`$ aiswarm session report --out ${shop.folder}/page.html`)
    screen.press(enter)
    await screen.until(`✓ ${shop.folder}/page.html`)
    const page = shop.read('../page.html')
    test.expect(page).toMatch(/^<!doctype html>/i)
    test.expect(page).toContain('data-attempt="1/1"')
    test.expect(page).toContain('Bake &lt;b&gt;bread&lt;/b&gt;')
    test.expect(page.match(/(?:src|href)=|url\((?!#)|<script|@import/g)).toBeNull()

    // An existing file is not overwritten, and the form says so.
    screen.press(':')
    await screen.until('[Commands]')
    screen.press('\u001b[A')
    await screen.until(/▸ ↑ +aiswarm session report/)
    screen.press(enter)
    await screen.until('[session report]')
    screen.press(enter)
    await screen.until('page.html already exists. Overwrite it with --force')
    screen.press(escape)
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)
  },
)
