import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, generous, openShop } from './pty.ts'

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

it.concurrent(
  'a person reads uncommitted work of a worktree while it changes, and after a rejection what it holds now',
  generous,
  async (test) => {
    const shop = openShop(test, { files: { 'greet.txt': 'Hello\n' } })
    await shop.worktree('greet')
    const folder = join(shop.folder, 'greet')
    const screen = await shop.console({ columns: 120, rows: 40 })
    screen.press('4')
    await screen.until('[4 Worktrees]')
    writeFileSync(join(folder, 'greet.txt'), 'Welcome\n')
    writeFileSync(join(folder, 'new.txt'), 'new\n')
    screen.press('D')
    await screen.until('[Diff of greet (feature/greet)]')
    await screen.until('2 files not committed yet')
    await screen.until('what feature/greet holds now, compared with where it forked from main')
    await screen.until(/greet\.txt {2}\(not committed\)/)
    await screen.until('+Welcome')
    writeFileSync(join(folder, 'greet.txt'), 'Good evening\n')
    await screen.until('+Good evening')
    test.expect(shop.git('-C', folder, 'status', '--porcelain')).toBe(' M greet.txt\n?? new.txt')

    shop.git('-C', folder, 'add', '--all')
    shop.git('-C', folder, 'commit', '--quiet', '--message', 'Greet')
    await screen.lacks('not committed')
    screen.press('i')
    await screen.until('y approve exactly these commits')
    screen.press('n')
    await screen.until('Reject')
    screen.press(`not yet${enter}`)
    await screen.until('rejected')
    writeFileSync(join(folder, 'greet.txt'), 'Good night\n')
    screen.press('D')
    await screen.until('1 file not committed yet')
    await screen.until('+Good night')
  },
)

it.concurrent(
  'a person sees code in colours after the diff opened, and a failed verification from its first error',
  generous,
  async (test) => {
    const shop = openShop(test, {
      config: 'integration:\n  verify: sh check.sh\n',
      files: {
        'src/greet.ts': old,
        'check.sh':
          'for n in $(seq 200); do echo "step $n"; done; echo "src/greet.ts:1 error: too short"; for n in $(seq 300); do echo "after $n"; done; exit 1\n',
      },
    })
    shop.git('add', '--all')
    shop.git('commit', '--quiet', '--message', 'Verify')
    await shop.worktree('greet')
    const folder = join(shop.folder, 'greet')
    writeFileSync(join(folder, 'src/greet.ts'), old.replace('Hello', 'Welcome'))
    shop.git('-C', folder, 'commit', '--quiet', '--all', '--message', 'Greet')
    const screen = await shop.console({
      columns: 100,
      rows: 40,
      background: 'rgb:0000/0000/0000',
      environment: { COLORTERM: 'truecolor' },
    })
    screen.press('4')
    await screen.until('[4 Worktrees]')
    screen.press('D')
    await screen.until('+export const greet')
    // A keyword of the dark theme on the ground of an added line.
    await screen.shows('coloured code', () => /48;2;16;48;28[^]*38;5;219m *export/.test(screen.written()))

    screen.press('i')
    await screen.until('Verification failed ✗')
    await screen.until('src/greet.ts:1 error: too short')
    screen.press('L')
    await screen.until(/Verification output of greet[^]*step 199\s[^]*step 200\s[^]*error: too short[^]*after 1\s/)
    await screen.lacks('step 198')
  },
)
