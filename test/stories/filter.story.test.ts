import { test } from 'vitest'
import { enter, escape, generous, openShop } from './pty.ts'

const save = '\u0013'
const down = '\u001b[B'

test(
  'a person filters the board, saves the filter, and finds the same tasks on the command line',
  generous,
  async (context) => {
    const shop = openShop(context, { config: 'session: {maxRetries: 0}\n' })
    await shop.worktree('greet')
    await shop.add('Break it', 'exit 7', '--worktree', 'greet')
    await shop.add('Break that', 'exit 8')
    await shop.add('Say hello', 'true')
    await shop.answer('task', 'add', 'Test it', '--persona', 'tester', '--depends', '2')
    const screen = await shop.console({ columns: 120, rows: 30 })
    await screen.until(/ 2 .*✗ failed .*Break that/)
    await screen.until(/ 1 .*✗ failed .*Break it/)
    const found = async (where: string): Promise<readonly number[]> =>
      (await shop.answer<readonly { id: number }[]>('task', 'list', '--where', where)).map(({ id }) => id)

    // An invalid term is reported, and the board stays.
    screen.press('/')
    await screen.until('enter keep, esc clear')
    screen.press('state:broken ')
    await screen.until(/'state:broken'/)
    await screen.until(/ 3 .*Say hello/)
    screen.press('\u0015')
    screen.press('state:failed worktree:greet')
    await screen.until(/1 of 4|1 task/)
    await screen.lacks('Break that')
    await screen.until(/▸.* 1 .*Break it/)
    context.expect(await found('state:failed worktree:greet')).toEqual([1])

    screen.press(save)
    await screen.until('Save the filter state:failed worktree:greet')
    screen.press(`mine${enter}`)
    await screen.until('Filter saved as mine.')
    await screen.until('/state:failed worktree:greet')
    screen.press(escape)
    await screen.until(/ 3 .*Say hello/)
    screen.press('/persona:tester age<1h it')
    await screen.lacks('Break it')
    await screen.until(/ 4 .*Test it/)
    context.expect(await found('persona:tester age<1h it')).toEqual([4])
    screen.press(escape)
    await screen.until(/ 3 .*Say hello/)
    screen.press('q')
    context.expect(await screen.ended()).toBe(0)

    // The next console has it.
    const next = await shop.console({ columns: 120, rows: 30 })
    await next.until(/ 3 .*Say hello/)
    next.press(`/${down}`)
    await next.until(/Saved filters[^]*▸ ?mine/)
    next.press(enter)
    await next.lacks('Break that')
    await next.until(/ 1 .*Break it/)
    next.press(enter)
    next.press('q')
    context.expect(await next.ended()).toBe(0)

    const refused = await shop.run('task', 'list', '--where', 'agent>3')
    context.expect(refused.code).not.toBe(0)
    context.expect(refused.err).toContain("'agent>3'")
  },
)
