import { expect, test } from 'vitest'
import { generous } from '../stories/pty.ts'
import { ownCluster, runSql, withPassword } from '../support/board-on-server.ts'
import {
  addAgain,
  addInVain,
  checkoutOf,
  endConnections,
  expectNotOpened,
  openedOn,
  passwordIs,
  shopOn,
  words,
} from '../support/console-on-server.ts'

// A console whose user the server refuses, or whose rights do not suffice, before it opens and while it is open.

const cluster = ownCluster()

test(
  'a console with a wrong password says where it is looked for, and continues with the right one',
  generous,
  async (context) => {
    await withPassword(cluster, 'ada', 'right')
    const shop = await shopOn(context, `${cluster.url('postgres', 'ada')}&schema=password`)
    passwordIs(shop, 'wrong')
    await expectNotOpened(shop, /refused the login \(password .*\)\. Check the user, and the password in ~\/\.pgpass/)
    passwordIs(shop, 'right')
    const screen = await openedOn(shop)
    await runSql(cluster, "ALTER ROLE ada PASSWORD 'changed'")
    await endConnections(cluster, 'ada')
    const sentence = words('refused the login (password authentication failed for user "ada"). Check the user')
    await screen.until(sentence)
    await screen.until('cut off')
    await addInVain(screen, sentence)
    passwordIs(shop, 'changed')
    await screen.lacks(sentence)
    await screen.lacks('cut off')
    await addAgain(screen, shop)
  },
)

test(
  'a console whose user loses its rights sends to the owner, and shows what has changed when they are back',
  generous,
  async (context) => {
    const shop = await shopOn(context, `${cluster.url()}&schema=rights`)
    await runSql(cluster, 'CREATE ROLE guest LOGIN')
    const guest = checkoutOf(context, cluster.url('postgres', 'guest'), 'rights')
    await expectNotOpened(
      guest,
      /does not allow it \(permission denied .*\): the board is there, and guest may not use it\. Ask its owner/,
    )
    const grant =
      'GRANT USAGE ON SCHEMA rights TO guest; GRANT ALL ON ALL TABLES IN SCHEMA rights TO guest; GRANT ALL ON ALL SEQUENCES IN SCHEMA rights TO guest'
    await runSql(cluster, grant)
    const screen = await openedOn(guest)
    await runSql(cluster, 'REVOKE ALL ON ALL TABLES IN SCHEMA rights FROM guest')
    // A commit that it hears of and cannot read.
    await shop.answer('task', 'add', 'Glaze', '--persona', 'implementer')
    const sentence = words('Ask the owner of the database for the right')
    await screen.until(sentence)
    await screen.until('cut off')
    expect(screen.text()).not.toContain('Glaze')
    await addInVain(screen, sentence)
    await runSql(cluster, grant)
    await screen.lacks('cut off')
    await addAgain(screen, shop, ['Bake', 'Glaze'])
    await screen.until('Glaze')
  },
)

test('a console without a free connection says so, and continues when there is one', generous, async (context) => {
  await runSql(cluster, 'CREATE ROLE crowd LOGIN; GRANT CREATE ON DATABASE postgres TO crowd')
  const shop = await shopOn(context, `${cluster.url('postgres', 'crowd')}&schema=crowd`)
  const allow = (connections: number): Promise<unknown> =>
    runSql(cluster, `ALTER ROLE crowd CONNECTION LIMIT ${connections}`)
  await allow(0)
  await expectNotOpened(shop, /has no free connection \(.*\)\. End other programs, or raise the limit: max_connections/)
  await allow(-1)
  const screen = await openedOn(shop)
  await allow(0)
  await endConnections(cluster, 'crowd')
  const sentence = words('has no free connection')
  await screen.until(sentence)
  await addInVain(screen, sentence)
  await allow(-1)
  await screen.lacks(sentence)
  await addAgain(screen, shop)
})
