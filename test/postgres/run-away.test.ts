import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { generous, openShop } from '../stories/pty.ts'
import { newAddress, ownCluster } from '../support/board-on-server.ts'
import { eventually } from '../support/eventually.ts'

// A run that waits for its tasks while the server is away.

const cluster = ownCluster()

test('a run until idle ends with its task, although the server is restarted meanwhile', generous, async (context) => {
  const { schema } = newAddress(cluster)
  const shop = openShop(context, { ownStore: true })
  expect(await shop.run('init', '--yes', '--store', `${cluster.url()}&schema=${schema}`)).toMatchObject({ code: 0 })
  const [done, began, report] = ['done', 'began', 'junit.xml'].map((name) => join(shop.folder, name))
  const command = `touch ${began!}; until [ -e ${done!} ]; do sleep 0.1; done`
  await shop.answer('task', 'add', 'Bake', '--persona', 'implementer', '--command', command)
  const screen = shop.start(['run', '--until-idle', '--report', report!, '--root', shop.root], { columns: 200 })
  await eventually(() => expect(existsSync(began!), screen.written()).toBe(true))
  // The run is quiet.
  await sleep(1000)
  cluster.stop()
  await screen.until(/does not\s+answer/)
  await sleep(3000)
  cluster.start()
  shop.write({ '../done': '' })
  expect(await screen.ended()).toBe(0)
  expect(screen.written()).toContain('completed (exit code 0)')
  expect(screen.written()).not.toMatch(/bug|^ +at /m)
  expect(readFileSync(report!, 'utf8')).toContain('tests="1" failures="0" errors="0"')
})
