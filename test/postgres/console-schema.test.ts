import { expect, test } from 'vitest'
import { enter, escape, generous } from '../stories/pty.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import {
  addAgain,
  checkoutOf,
  expectClosed,
  expectNotOpened,
  openedOn,
  shopOn,
  titlesIn,
  words,
} from '../support/console-on-server.ts'
import { startReplica } from '../support/replica.ts'

// A console on a schema that it may not write, or not even read.

const cluster = ownCluster()

/** Changes a board as a newer program does. */
const byNewer = (schema: string): Promise<unknown> =>
  runSql(
    cluster,
    `SET search_path TO ${schema};
     INSERT INTO migration_history (migration_name, script_hash, execution_time_ms, success) VALUES ('099_Later.sql', 'x', 1, 1);
     UPDATE board SET min_program = '9.3.0'`,
  )

test('a console is not opened on a schema of another program', generous, async (context) => {
  await runSql(cluster, 'CREATE SCHEMA invoices; CREATE TABLE invoices.invoices (id int)')
  const shop = checkoutOf(context, cluster.url(), 'invoices')
  await expectNotOpened(
    shop,
    /holds tables, but no board of aiswarm\. Name another schema in \.aiswarm\/store\.yaml\.$/m,
  )
})

test('a console is not opened on the board of an older aiswarm', generous, async (context) => {
  const shop = await shopOn(context, `${cluster.url()}&schema=of_older`)
  await runSql(cluster, "DELETE FROM of_older.migration_history WHERE migration_name LIKE '032%'")
  await expectNotOpened(shop, /made by an older aiswarm \(032\S+ is missing\)\. Its owner runs 'aiswarm db migrate'\./)
})

test(
  'a console shows the board of a newer aiswarm, writes nothing to it, and says which version it needs',
  generous,
  async (context) => {
    const shop = await shopOn(context, `${cluster.url()}&schema=of_newer`)
    const screen = await openedOn(shop)
    await byNewer('of_newer')
    const sentence = words('aiswarm 0.1.0 only reads it; update it on this machine to 9.3.0 or newer.')
    await expectClosed(screen, sentence)
    const later = await openedOn(shop)
    await expectClosed(later, sentence)
    // The newer program works on.
    await runSql(cluster, "UPDATE of_newer.tasks SET title = 'Glaze'")
    for (const one of [screen, later]) {
      one.press(escape)
      await one.until('Glaze')
    }
    expect(await titlesIn(shop)).toEqual(['Glaze'])
    later.press('q')
    expect(await later.ended()).toBe(0)
  },
)

test(
  'a console is not opened on a board that a newer aiswarm forbids older ones to read',
  generous,
  async (context) => {
    const shop = await shopOn(context, `${cluster.url()}&schema=unreadable`)
    await byNewer('unreadable')
    await runSql(cluster, "UPDATE unreadable.board SET min_reader = '9.4.0'")
    await expectNotOpened(shop, /cannot read it; update it on this machine to 9\.4\.0 or newer\.$/m)
  },
)

test(
  'a console shows a board that takes no writes, and writes again when it takes them again',
  generous,
  async (context) => {
    const shop = await shopOn(context, `${cluster.url()}&schema=reads`)
    const open = await openedOn(shop)
    const takesWrites = async (takes: boolean): Promise<void> => {
      await runSql(cluster, `ALTER SYSTEM SET default_transaction_read_only = ${takes ? 'off' : 'on'}`)
      await runSql(cluster, 'SELECT pg_reload_conf()')
    }
    const sentence = words("it is a replica, or was made read-only. Name its primary in the store's address.")
    // A form that is open already keeps what was typed.
    open.press('n')
    await open.until('New task')
    open.press('Brew')
    await open.until(/Title\s+Brew/)
    await takesWrites(false)
    await open.until(sentence)
    open.press(enter)
    await open.lacks('New task')
    await expectClosed(open, sentence)
    const later = await openedOn(shop)
    await expectClosed(later, sentence)
    await takesWrites(true)
    for (const one of [open, later]) {
      await one.lacks(sentence)
      await one.until('n new')
    }
    open.press('n')
    await open.until('your draft')
    await addAgain(open, shop)
    later.press(escape)
    await later.until('Brew')
    expect(await runSql(cluster, "SELECT count(*)::int AS n FROM reads.sessions WHERE status = 'running'")).toEqual([
      { n: 1 },
    ])
  },
)

test('a console on a replica shows the board as it changes, and writes nothing', generous, async (context) => {
  const shop = await shopOn(context, `${cluster.url()}&schema=replica`)
  const { folder, remove } = startReplica(cluster)
  context.onTestFinished(remove)
  const screen = await openedOn(checkoutOf(context, cluster.url().replace(cluster.folder, folder), 'replica'))
  const sentence = words("Name its primary in the store's address.")
  await expectClosed(screen, sentence)
  await shop.answer('task', 'add', 'Glaze', '--persona', 'implementer')
  screen.press(escape)
  await screen.until('Glaze')
  screen.press('q')
  expect(await screen.ended()).toBe(0)
  expect(await titlesIn(shop)).toEqual(['Bake', 'Glaze'])
})
