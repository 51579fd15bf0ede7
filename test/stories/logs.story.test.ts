import { test } from 'vitest'
import { enter, escape, generous, openShop } from './pty.ts'

const long = `${'far '.repeat(60)}away`

test(
  'a person reads the logs of all agents: by level, wrapped, held and followed, from error to error, by words',
  generous,
  async (context) => {
    const shop = openShop(context, { config: 'session: {maxRetries: 0}\n' })
    await shop.worktree('greet')
    await shop.add(
      'Talk',
      `echo ${long}; echo plain words; echo "Error: it is red" >&2; until [ -e go ]; do sleep 0.1; done; echo and so on; sleep 300`,
      '--worktree',
      'greet',
    )
    await shop.add('Break it', 'until [ -e now ]; do sleep 0.1; done; echo broken >&2; exit 7')
    const screen = await shop.console({ columns: 100, rows: 30 })
    // Errors are visited in the order of their times, which are the times at which they were read.
    await screen.until('Error: it is red')
    shop.write({ now: '' })
    await screen.until(/ 2 .*✗ failed .*Break it/)
    screen.press('L')
    await screen.until('Logs of all agents  following')
    await screen.until(/plain words[^]*Error: it is red/)
    await screen.until(/exit code 7: broken/)

    // A long line is cut at the edge until it is wrapped.
    await screen.lacks('away')
    screen.press('w')
    await screen.until(/wrapped/)
    await screen.until(/far away/)
    screen.press('w')
    await screen.lacks('away')

    screen.press('ll')
    await screen.until('warn and above')
    // The log pane below, which names no agent, may show the same lines.
    await screen.lacks(/implementer-1 .*plain words/)
    await screen.until(/implementer-1 .*Error: it is red/)
    screen.press('l')
    await screen.until('errors only')
    screen.press('l')
    await screen.until(/implementer-1 .*plain words/)

    screen.press('ge')
    await screen.until('Logs of all agents  paused')
    await screen.until(/▸.*Error: it is red/)
    screen.press('e')
    await screen.until(/▸.*exit code 7/)
    screen.press('E')
    await screen.until(/▸.*Error: it is red/)
    screen.press('n')
    await screen.until('Press / and type a search text first.')
    screen.press('/')
    await screen.until('enter next match')
    screen.press(`plain words${enter}`)
    await screen.until(/▸.*plain words/)
    screen.press('/')
    await screen.until('enter next match')
    screen.press(`no such words${enter}`)
    await screen.until(/no such words/)

    // A held log does not move, and a followed one continues.
    shop.write({ '../greet/go': '' })
    screen.press('f')
    await screen.until('Logs of all agents  following')
    await screen.until(/implementer-1 .*and so on/)
    screen.press('s')
    const [, path] = await screen.until(/Saved (\S+\.log), \d+ lines?\./)
    context.expect(shop.read(path!)).toContain('and so on')
    screen.press(escape)
    await screen.until('[1 Board]')
    screen.press('q')
    context.expect(await screen.ended()).toBe(0)
  },
)
