import { execFileSync } from 'node:child_process'
import { it } from 'vitest'
import { generous, openShop } from './pty.ts'

it('the demo without a terminal approves by itself, prints a summary, and ends', generous, async (test) => {
  const shop = openShop(test)
  const { code, out } = await shop.run('demo')
  test.expect(out).toContain('this run approves verified work automatically')
  test.expect(out).toMatch(/main now contains \d+ commits:/)
  test.expect(out).toMatch(/Integrate worktree user-auth/)
  test.expect(out).toMatch(/Integrate worktree cart-totals/)
  test.expect(out).toContain('All tests of main pass')
  test.expect(code).toBe(0)
  const [, root = ''] = out.match(/A temporary repository at (\S+);/) ?? []
  const tests = execFileSync(process.execPath, ['--test'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  })
  test.expect(tests).toMatch(/pass 6/)
})
