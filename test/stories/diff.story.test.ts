import { it } from 'vitest'
import { generous, openShop } from './pty.ts'

const old = "export const greet = (name: string) => 'Hello ' + name\n"

it.concurrent(
  'a person reads the diff of a worktree beside its old version, marks files as viewed, and the next console knows',
  generous,
  async (test) => {
    const shop = openShop(test, {
      files: { 'src/greet.ts': old, 'src/other.ts': 'const a = 1\n', 'notes.md': 'one\n' },
    })
    await shop.worktree('greet')
    const work = (id: string, command: string) => shop.add(id, command, '--worktree', 'greet')
    const screen = await shop.console({ columns: 200, rows: 50 })
    await work(
      'Greet',
      `printf "export const greet = (name: string) => 'Welcome, ' + name\\n" > src/greet.ts; printf 'const a = 2\\n' > src/other.ts; printf 'two\\n' > notes.md`,
    )
    await screen.until(/ 1 .*✓ done .*Greet/)
    screen.press('4')
    await screen.until('[4 Worktrees]')
    screen.press('D')
    await screen.until('[Diff of greet (feature/greet)]')
    await screen.until('reading only; i requests an integration')
    await screen.until(/Files \(3\)[^]* src\/[^]* greet\.ts[^]* other\.ts[^]* notes\.md/)
    await screen.until(/ 1 -export const greet .*'Hello ' \+ name +│ +1 \+export const greet .*'Welcome, ' \+ name/)
    screen.press('s')
    await screen.until(/ 1 -export const greet .*'Hello ' \+ name +│\n/)
    screen.press(']')
    await screen.until(/▸▾ notes\.md/)
    screen.press('v')
    await screen.until('Viewed. v on it marks it as not viewed.')
    screen.press('v')
    await screen.until(/▸▾ src\/other\.ts/)
    screen.press('g')
    await screen.until('2 of 3 files viewed')
    await screen.until(/✓ +\+1 −1 +notes\.md/)
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)

    const again = await shop.console({ columns: 200, rows: 50 })
    await work('Again', `printf 'three\\n' > notes.md`)
    await again.until(/ 2 .*✓ done .*Again/)
    again.press('4')
    await again.until('[4 Worktrees]')
    again.press('D')
    await again.until('1 of 3 files viewed; 1 of 3 changed since you viewed it')
    await again.until(/↻ +\+1 −1 +notes\.md/)
  },
)
