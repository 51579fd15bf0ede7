import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop, programCommand, tab } from './pty.ts'

it.concurrent('a typed filter and a typed command are saved and known to the next console', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press('p')
  await screen.until('‖ paused')
  await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0' })))
  await screen.until(/ 3 .*Slice/)

  screen.press('/')
  await screen.until('enter keep, esc clear')
  screen.press('id>1 st')
  await screen.until('tab state:')
  screen.press(`${tab}c`)
  await screen.until("'state:c': a state is one of pending, claimed")
  await screen.until(/ 2 .*Cool/)
  screen.press(tab)
  await screen.until('id>1 state:claimed')
  await screen.until('No task matches the filter')
  screen.press('\u0017state:pending')
  await screen.until('2 tasks')
  await screen.lacks('Bake')
  screen.press('\u0013')
  await screen.until('[Save the filter id>1 state:pending]')
  screen.press(`rest${enter}`)
  await screen.until('Filter saved as rest.')
  await screen.until(/1 Board.* \/id>1 state:pending · 2 tasks /)
  test
    .expect(
      (await shop.answer<readonly { id: number }[]>('task', 'list', '--where', 'id>1 state:pending')).map(
        ({ id }) => id,
      ),
    )
    .toEqual([2, 3])

  screen.press(':')
  await screen.until('[Commands]')
  screen.press('tadd')
  await screen.until(/▸ … +task add · /)
  screen.press(enter)
  await screen.until(/\[task add\][^]*▸TITLE \*/)
  screen.press(enter)
  await screen.until('✗ This field is required.')
  screen.press("It's done")
  // The console was started in another folder.
  const line = String.raw`aiswarm task add --persona implementer --root ${shop.root} 'It'\''s done'`
  await screen.until(`$ ${line}`)
  screen.press('\u0019')
  await screen.until("Sent to the terminal's clipboard")
  test.expect(screen.written()).toContain(`\u001b]52;c;${Buffer.from(line).toString('base64')}\u0007`)
  screen.press(enter)
  await screen.until(/Task 4 .*It's done/)
  await screen.until(/ 4 .*It's done/)
  await screen.lacks('[task add]')
  // Pasted into a shell, the line does the same again.
  writeFileSync(join(shop.folder, 'aiswarm'), `#!/bin/sh\nexec '${programCommand.join("' '")}' "$@"\n`, { mode: 0o755 })
  execFileSync('/bin/sh', ['-c', line], {
    env: { ...process.env, ...shop.store, PATH: `${shop.folder}:${process.env['PATH']}` },
  })
  await screen.until(/ 5 .*It's done/)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
  test.expect(shop.git('status', '--porcelain', '--untracked-files=all')).toBe('?? .aiswarm/config.yaml')

  const next = await shop.console()
  // The filter of the board is remembered, and esc shows all tasks again.
  await next.until(/1 Board.* \/id>1 state:pending · 4 tasks /)
  await next.lacks('Bake')
  next.press(escape)
  await next.until(/ 1 .*Bake/)
  next.press(':')
  await next.until('[Commands]')
  next.press('\u001b[A')
  // The dialog cuts what is wider.
  await next.until(`▸ ↑          ${line.slice(0, line.indexOf("'It"))}`)
  next.press(escape)
  await next.lacks('[Commands]')
  next.press('/')
  await next.until('↓ saved')
  next.press('\u001b[B')
  await next.until('rest  id>1 state:pending')
  next.press(enter)
  await next.until(/1 Board.* · 4 tasks /)

  next.press(':')
  await next.until('[Commands]')
  next.press(`task cancel${enter}`)
  await next.until('[task cancel]')
  next.press(`${enter}y`)
  await next.until(/Cancels task \d “/)
  next.press('n')
  await next.lacks('Cancels task')
  test.expect(await shop.answer<readonly unknown[]>('task', 'list', '--where', 'state:cancelled')).toEqual([])
})
