import { it } from 'vitest'
import { generous, openShop, type Screen, type Shop, type Size } from './pty.ts'

const greeting = { 'greeting.txt': 'first\nsecond\nthird\nfourth\nfifth\nlast\n', 'README.md': 'a shop\n' }

/** A worktree in which a task has changed the first line of the greeting. */
const workOnGreeting = async (shop: Shop, size?: Partial<Size>): Promise<Screen> => {
  await shop.worktree('greet')
  const screen = await shop.console(size)
  await shop.add(
    'Greet',
    `node -e 'const fs = require("fs"); fs.writeFileSync("greeting.txt", fs.readFileSync("greeting.txt", "utf8").replace("first", "HELLO"))'`,
    '--worktree',
    'greet',
  )
  await screen.until(/ 1 .*✓ done .*Greet/)
  screen.press('4')
  await screen.until('[4 Worktrees]')
  return screen
}

const askFor = async (screen: Screen): Promise<void> => {
  screen.press('i')
  await screen.until('Integrate greet (feature/greet) into main')
}

it.concurrent(
  "a merge that would overwrite a person's change is held, names the file, and is merged after the change is stashed",
  generous,
  async (test) => {
    const shop = openShop(test, { files: greeting })
    const screen = await workOnGreeting(shop)
    shop.write({ 'greeting.txt': greeting['greeting.txt'].replace('last', 'mine') })
    await askFor(screen)
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/greet .*⚑ blocked: /)
    test.expect(shop.read('greeting.txt')).toBe(greeting['greeting.txt'].replace('last', 'mine'))
    test.expect(shop.git('log', '--format=%s', 'main')).toBe('Begin')

    await askFor(screen)
    await screen.until(/Problem[^]*greeting\.txt would be overwritten, so main[^]*could not be moved/)
    shop.git('stash')
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/greet .*✓ integrated/)
    test.expect(shop.read('greeting.txt')).toBe(greeting['greeting.txt'].replace('first', 'HELLO'))
    shop.git('stash', 'pop')
    test
      .expect(shop.read('greeting.txt'))
      .toBe(greeting['greeting.txt'].replace('first', 'HELLO').replace('last', 'mine'))
  },
)

it.concurrent(
  'a merge held by a change that is then committed is rebuilt and approved again, and contains both',
  generous,
  async (test) => {
    const shop = openShop(test, { files: greeting })
    const screen = await workOnGreeting(shop)
    shop.write({ 'greeting.txt': greeting['greeting.txt'].replace('last', 'mine'), 'notes.txt': 'not yet committed\n' })
    await askFor(screen)
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/greet .*⚑ blocked: /)

    shop.git('commit', '--quiet', '--message', 'Mine', 'greeting.txt')
    const moved = shop.git('rev-parse', 'main').slice(0, 8)
    await askFor(screen)
    await screen.until('y approve exactly these commits')
    screen.press('y')
    // That approval was for a target that has moved since then, so it is void.
    await screen.until(/greet .*⚑ ready/)
    await askFor(screen)
    await screen.until(`${moved} (target)`)
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/greet .*✓ integrated/)
    test
      .expect(shop.read('greeting.txt'))
      .toBe(greeting['greeting.txt'].replace('first', 'HELLO').replace('last', 'mine'))
    test.expect(shop.read('notes.txt')).toBe('not yet committed\n')
  },
)

it.concurrent('a conflict names its files and cannot be approved', generous, async (test) => {
  const shop = openShop(test, { files: greeting })
  const screen = await workOnGreeting(shop)
  shop.commit({ 'greeting.txt': greeting['greeting.txt'].replace('first', 'OTHER') }, 'Other')
  await askFor(screen)
  await screen.until(/⚠ conflict[^]*Conflicts[^]*greeting\.txt/)
  await screen.until('conflict: resolve it on the branch')
  screen.press('y')
  await screen.until('greet conflicts with its target. Resolve it on the branch, then request the integration again.')
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
  test.expect(shop.git('log', '--format=%s', 'main')).toBe('Other\nBegin')
  test.expect(shop.read('greeting.txt')).toContain('OTHER')
})
