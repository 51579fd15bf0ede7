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
    screen.press('p')
    await screen.until(/does\s+not\s+answer/)
    expect(screen.text()).toContain('Bake')
    cluster.start()
    await screen.lacks(/does\s+not\s+answer/)
    await add('Brew')
    await screen.until('Brew')
    screen.press('p')
    await screen.until('‖ paused')
    expect(await runSql(cluster, 'SELECT 1 AS n FROM away.sessions WHERE paused_at IS NOT NULL')).toEqual([{ n: 1 }])
    screen.press('q')
    expect(await screen.ended()).toBe(0)
  },
)
