import { expect, test } from 'vitest'
import { generous, openShop } from '../stories/pty.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'

// A console whose server goes away while it is open, and comes back.

const cluster = ownCluster()

test(
  'a console whose server is away says so, keeps what it shows, and shows the board by itself when the server is back',
  generous,
  async (context) => {
    const shop = openShop(context, { ownStore: true })
    const store = `${cluster.url()}&schema=away`
    expect(await shop.run('init', '--yes', '--store', store)).toMatchObject({ code: 0 })
    const add = (title: string) => shop.answer('task', 'add', title, '--persona', 'implementer')
    await add('Bake')
    const screen = await shop.console()
    await screen.until('Bake')
    cluster.stop('immediate')
    await screen.until(/PostgreSQL at \S+ \(away\)\s+does\s+not\s+answer/)
    expect(screen.text()).toContain('Bake')
    // A write waits for the server for a while.
    screen.press('p')
    cluster.start()
    await screen.lacks(/does\s+not\s+answer/)
    await add('Brew')
    await screen.until('Brew')
    await screen.until('‖ paused')
    const paused = (): Promise<unknown> =>
      runSql(cluster, 'SELECT 1 AS n FROM away.sessions WHERE paused_at IS NOT NULL')
    expect(await paused()).toEqual([{ n: 1 }])
    screen.press('p')
    await screen.lacks('‖ paused')
    expect(await paused()).toEqual([])
    screen.press('q')
    expect(await screen.ended()).toBe(0)
  },
)
