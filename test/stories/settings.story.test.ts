import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop } from './pty.ts'

const config = `# Ours: two at a time.
session:
  maxParallel: 2   # a small machine
integration: {verify: 'true'}
`

it.concurrent(
  'the configuration view shows every value with its source, and saves a change with all comments',
  generous,
  async (test) => {
    const shop = openShop(test, { config })
    const screen = await shop.console()
    screen.press(',')
    await screen.until(/\[Configuration .*config\.yaml[^]*▸ {2}session\.maxParallel +2 +file, line 3/)
    await screen.until(/session\.maxRetries +2 +default/)
    await screen.until('Agents that run at the same time.')

    screen.press(enter)
    await screen.until(/\[Set session\.maxParallel\][^]*▸Value +2/)
    screen.press('\u0015many')
    await screen.until(/▸Value +many/)
    screen.press(enter)
    await screen.until('session.maxParallel: a whole number is expected.')
    screen.press('\u00155')
    await screen.until(/▸Value +5/)
    screen.press(enter)
    await screen.until(/▸\* session\.maxParallel +5 +unsaved, was 2/)
    test.expect(shop.read('.aiswarm/config.yaml')).toBe(config)

    screen.press('s')
    await screen.until(/Saves .*config\.yaml:[^]*- maxParallel: 2[^]*\+ maxParallel: 5/)
    screen.press('y')
    await screen.until('Saved. Theme, keys and strict mode apply now')
    test.expect(shop.read('.aiswarm/config.yaml')).toBe(config.replace('2   # a small', '5 # a small'))
    await screen.until(/session\.maxParallel +5 +file, line 3/)
    screen.press(escape)
    await screen.until('[1 Board]')
    test.expect((await shop.run('worktree', 'trust')).out).not.toContain('maxParallel')
  },
)

it.concurrent(
  'the configuration view tries a theme at once, drops it on request, and never overwrites a change of the meantime',
  generous,
  async (test) => {
    const shop = openShop(test, { config })
    const screen = await shop.console({ rows: 100 })
    screen.press(',')
    await screen.until('▸  session.maxParallel')
    screen.click('console.theme')
    await screen.until(/▸ {2}console\.theme +auto/)
    screen.press(' ')
    await screen.until(/▸\* console\.theme +dark +unsaved, was auto/)
    screen.press(' ')
    await screen.until(/▸\* console\.theme +light/)
    // The light theme has 38;5;24 in place of cyan.
    await screen.shows('the light theme', () => screen.written().includes('\u001b[38;5;24m'))
    screen.press(escape)
    await screen.until(/Drops 1 unsaved change:[^]*console\.theme: auto → light/)
    screen.press('n')
    await screen.until('1 unsaved change')

    appendFileSync(join(shop.root, '.aiswarm/config.yaml'), 'lease: {ttl: 2m} # theirs\n')
    screen.press('s')
    await screen.until(/Saves .*theme: light/s)
    screen.press('y')
    await screen.until('has changed since it was read, so nothing was saved')
    test.expect(shop.read('.aiswarm/config.yaml')).not.toContain('theme')
    screen.press('r')
    await screen.until(/lease\.ttl +2m +file, line 5/)
    screen.press('s')
    await screen.until(/Saves .*theme: light/s)
    screen.press('y')
    await screen.until('Saved.')
    const saved = shop.read('.aiswarm/config.yaml')
    test.expect(saved).toContain(config)
    test.expect(saved).toContain('lease: {ttl: 2m} # theirs\n')
    test.expect(saved).toContain('console:\n  theme: light\n')
  },
)
