import { execFileSync } from 'node:child_process'
import { it } from 'vitest'
import { generous, openShop, type Screen } from './pty.ts'

/** Runs the repository's tests like a person. */
const nodeTest = (root: string): string =>
  execFileSync(process.execPath, ['--test'], { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } })

it.concurrent('the demo completes its tasks, and merges both worktrees at a key', generous, async (test) => {
  const shop = openShop(test)
  const screen = shop.start(['demo'])
  await screen.until('When user-auth is done, select it and press i')
  for (const done of [1, 2, 3, 4, 5, 6]) await screen.until(new RegExp(`tasks .* [${done}-6]/6`))

  screen.press('4')
  await screen.until(/▸user-auth/)
  await integrate(screen, 'user-auth', 4, async () => {
    await screen.until('updated README.md (a false claim, on purpose)')
    await screen.until('README.md is not changed')
  })
  screen.press('j')
  await screen.until(/▸cart-totals/)
  await integrate(screen, 'cart-totals', 2)

  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
  const [, again = '', root = ''] = screen.written().match(/Open the demo again: (cd (\S+) && .*aiswarm)/) ?? []
  test.expect(execFileSync('sh', ['-c', `${again} status`], { encoding: 'utf8' })).toMatch(/6 of 6|completed/)
  test.expect(root).toMatch(/shop$/)
  const tests = nodeTest(root)
  test.expect(tests).toMatch(/pass 6/)
  test.expect(tests).toMatch(/fail 0/)
})

/** From `i` over the shown facts to `y`. */
const integrate = async (
  screen: Screen,
  name: string,
  commits: number,
  read: () => Promise<void> = async () => {},
): Promise<void> => {
  screen.press('i')
  await screen.until(`Integrate ${name}`)
  await screen.until('y approve exactly these commits')
  await screen.until('Verification passed ✓')
  await screen.until('node verify.js')
  await screen.until(`${commits} commit${commits === 1 ? '' : 's'}`)
  await read()
  screen.press('y')
  await screen.until(new RegExp(`${name} .*✓ integrated`))
}
