import { test } from 'vitest'
import { enter, escape, generous, openShop } from './pty.ts'

test(
  'every row shows why it is in its state, in a fixed order until a person sorts, and the next console sorts in the same way',
  generous,
  async (context) => {
    const shop = openShop(context, { config: 'session: {maxRetries: 0}\nlease: {stalledAfter: 2s}\n' })
    await shop.worktree('greet')
    await shop.add('Wait long', 'sleep 300', '--worktree', 'greet', '--priority', '9')
    await shop.add('Break it', 'echo no such file >&2; exit 7', '--priority', '5')
    await shop.add('Queue up', 'true', '--worktree', 'greet', '--priority', '1')
    await shop.add('Come after', 'true', '--depends', '2', '--priority', '7')
    const screen = await shop.console({ columns: 260, rows: 40 })
    await screen.until(/ 1 .*◍ stalled .*Wait long {2}no progress for .*process alive/)
    await screen.until(/ 2 .*✗ failed .*Break it {2}exit code 7: no such/)
    await screen.until(/ 3 .*○ pending .*Queue up {2}worktree busy: implementer-1/)
    await screen.until(/ 4 .*◌ blocked by 2 .*Come after {2}it failed; for/)
    // A row that waits for a person has a mark, and stays in its place.
    const order = (text: string): string =>
      [...text.matchAll(/^│[▸ ][⚑ ] +(\d) +\d {2}/gm)].map(([, id]) => id).join('')
    await screen.shows('the fixed order', (text) => order(text) === '1234')
    await screen.until('⚑ 2 need you')

    screen.press(enter)
    await screen.until(/\[Task 1\][^]*stalled: no progress for .*, process alive, CPU \d+%, no output yet\s+│\n/)
    screen.press(escape)
    await screen.until('[1 Board]')

    // In the columns the last line shows it for the selected task, in the tree the row itself.
    screen.press('jjb')
    await screen.until(/▸ ○ 3 Queue up[^]*│ +3 .*worktree busy: implementer-1/)
    screen.press('b')
    await screen.until(/└─4 ◌ blocked {2}Come after {2}it failed; for/)
    screen.press('b')
    await screen.until(/▸ +3 /)

    screen.press('S')
    await screen.until('▾ priority')
    await screen.shows('the order of importance', (text) => order(text) === '1423')
    screen.press('q')
    context.expect(await screen.ended()).toBe(0)
    const next = await shop.console({ columns: 260, rows: 40 })
    await next.until('▾ priority')
    await next.shows('the order of importance', (text) => order(text) === '1423')
    for (let n = 0; n < 5; n++) next.press('S')
    await next.shows('the fixed order', (text) => order(text) === '1234')
    next.press('q')
    context.expect(await next.ended()).toBe(0)
  },
)
