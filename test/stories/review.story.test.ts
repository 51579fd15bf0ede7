import { it } from 'vitest'
import { generous, openShop } from './pty.ts'

it.concurrent(
  'a person reads a merge, comments on a line, and the comment becomes a task; the next merge is approved',
  generous,
  async (test) => {
    const shop = openShop(test, {
      files: { 'greeting.txt': 'first\nsecond\nthird\n', 'package.json': '{"scripts":{"test":"true"}}\n' },
    })
    await shop.worktree('greet')
    const screen = await shop.console({ columns: 120, rows: 40 })
    await shop.add(
      'Greet',
      `printf 'first\\nSECOND \\342\\200\\256evil\\nthird\\n' > greeting.txt; printf '{"scripts":{"test":"true","postinstall":"node x.js"}}\\n' > package.json`,
      '--worktree',
      'greet',
    )
    await screen.until(/ 1 .*✓ done .*Greet/)
    screen.press('4')
    await screen.until('[4 Worktrees]')
    screen.press('i')
    await screen.until('y approve exactly these commits')
    await screen.until(
      /2 files {2}\+2 −2 {2}1 commit[^]*hidden text: it contains 1 character[^]*package scripts: scripts: postinstall \(new\); some run automatically/,
    )

    screen.press(']')
    await screen.until(/▸▾ greeting\.txt/)
    await screen.until('+SECOND ⟨202E⟩evil')
    screen.press('}')
    for (let n = 0; n < 3; n++) screen.press('j')
    await screen.until(/▸ +2 \+SECOND/)
    screen.press('c')
    await screen.until('[Comment on greeting.txt:2]')
    screen.press('No hidden characters')
    screen.press('\r')
    await screen.until(/✎ No hidden characters/)
    screen.press('S')
    await screen.until('Creates one task with your comment for worktree greet')
    screen.press('y')
    await screen.until('Created task 2 for implementer in greet.')
    const task = await shop.answer<{ description: string; targetWorktree: string; parentTaskId: number }>(
      'task',
      'show',
      '2',
    )
    test.expect(task).toMatchObject({ targetWorktree: 'greet', parentTaskId: 1 })
    test.expect(task.description).toContain('1. greeting.txt:2\n\n```diff')
    test.expect(task.description).toContain('No hidden characters')
    await shop.answer('task', 'cancel', '2')

    screen.press('i')
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/greet .*✓ integrated/)
    test.expect(shop.read('greeting.txt')).toContain('SECOND')
  },
)
