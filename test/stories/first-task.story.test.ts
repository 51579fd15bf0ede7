import { it } from 'vitest'
import { enter, generous, openShop, tab } from './pty.ts'

it(
  'a person without an agent CLI gives a first task a command, which works in a worktree of its own, and merges it',
  generous,
  async (test) => {
    const shop = openShop(test, { files: { 'README.md': 'hello\n' } })
    const screen = await shop.console({ columns: 80, rows: 24 })
    screen.press('n')
    await screen.until(/Worktree +\(new worktree\)/)
    screen.press('Greet the reader')
    for (let n = 0; n < 4; n++) screen.press(tab)
    await screen.until(/▸Command/)
    screen.press("echo 'hello reader' > README.md")
    screen.press(enter)
    await screen.until(/✓ done .*Greet the reader/)
    await screen.until(/task-1-greet-the-reader +↑1 ↓0 .*i integrates it/)
    test.expect([shop.read('README.md'), shop.git('status', '--porcelain', 'README.md')]).toEqual(['hello\n', ''])
    screen.press('i')
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until('task-1-greet-the-reader is merged into main.')
    test.expect(shop.read('README.md')).toBe('hello reader\n')
  },
)
