import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop, right, tab } from './pty.ts'

it.concurrent(
  'a person edits a task with their own editor, takes a dependency by its name, and reads the history',
  generous,
  async (test) => {
    const shop = openShop(test)
    const editor = join(shop.folder, 'editor')
    writeFileSync(editor, '#!/bin/sh\nprintf "%s\\nand by wire\\n" "$(cat "$1")" > "$1"\n', { mode: 0o755 })
    await shop.run(
      'task',
      'add',
      'Pay',
      '--persona',
      'implementer',
      '--description',
      'by card',
      '--criterion',
      'It pays',
    )
    await shop.run('task', 'add', 'Login form', '--persona', 'implementer')
    const screen = await shop.console({ environment: { EDITOR: editor } })
    screen.press('p')
    await screen.until('‖ paused')
    await screen.until(/▸.* 1 .*Pay/)

    screen.press('e')
    await screen.until(/\[Edit task 1 {2}Pay\][^]*▸Description +by card/)
    screen.press('\u0005')
    await screen.until(/▸Description +2 lines[^]*by card[^]*and by wire/)
    screen.press(tab)
    await screen.until(/▸Criteria +It pays/)
    screen.press(tab)
    await screen.until('▸Depends on')
    screen.press('login')
    await screen.until(/▸Depends on +login +→ 2 Login form/)
    screen.press(right)
    await screen.until(/▸Depends on +2,/)
    screen.press(tab)
    await screen.until(/▸Priority +0/)
    screen.press('x')
    await screen.until(/▸Priority +0x/)
    screen.press(enter)
    await screen.until("'0x' is not a priority. Enter a whole number.")
    screen.press('\u001590')
    await screen.until(/▸Priority +90/)
    screen.press(enter)
    await screen.until('Task 1: description 1 line → 2 lines; priority 0 → 90; dependencies none → 2.')
    await screen.until(/ 1 +90 +◌ blocked by 2 .*Pay/)
    test.expect(await shop.answer('task', 'show', '1')).toMatchObject({
      description: 'by card\nand by wire',
      priority: 90,
      dependencies: [2],
      acceptanceCriteria: [{ text: 'It pays' }],
    })

    screen.press(enter)
    await screen.until('[Task 1]')
    screen.press(']]]]')
    await screen.until('▸▸ History')
    screen.press(' ')
    await screen.until(/human {2}created[^]*human {2}edited[^]*\+ and by wire[^]*priority 0 → 90/)
    screen.press(escape)
    await screen.until('[1 Board]')

    screen.press('x')
    await screen.until('[Confirm]')
    screen.press('y')
    await screen.until('Task 1 is cancelled.')
    screen.press('e')
    await screen.until('Task 1 is cancelled; only a pending, running or failed task can be edited.')
  },
)
