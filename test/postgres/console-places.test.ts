import { expect, test } from 'vitest'
import { generous } from '../stories/pty.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { expectNotOpened, openedOn, shopOn } from '../support/console-on-server.ts'

const cluster = ownCluster()

test('a console beyond the thirty of a board is not opened until another one quits', generous, async (context) => {
  const shop = await shopOn(context, `${cluster.url()}&schema=places`)
  const first = await openedOn(shop)
  // Places are taken in the order of their numbers; these are of other machines.
  await runSql(
    cluster,
    `INSERT INTO places.leases (name, holder, holder_pid, term, acquired_at, expires_at)
     SELECT 'console:' || n, 'elsewhere ' || n, n, 1, '2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'
     FROM generate_series(2, 30) AS n`,
  )
  await expectNotOpened(
    shop,
    /There are 30 consoles open on this board, and aiswarm is made for 30\. Quit one that is not used/,
  )
  first.press('q')
  expect(await first.ended()).toBe(0)
  await openedOn(shop)
  await expectNotOpened(shop, /There are 30 consoles open/)
})
