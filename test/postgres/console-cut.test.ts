import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { lockOf } from '../../src/db/postgres/transaction.ts'
import { enter, escape, generous, type Screen } from '../stories/pty.ts'
import { type CutAt, newAddress, ownCluster, proxyTo, runSql } from '../support/board-on-server.ts'
import { openedOn, shopOn, titlesIn, words } from '../support/console-on-server.ts'

// A console whose connections break in the middle of what it writes, and texts that a server cannot hold.

const cluster = ownCluster()
const backspace = '\u007f'

const add = async (screen: Screen, title: string): Promise<void> => {
  screen.press('n')
  await screen.until('New task')
  screen.press(title)
  await screen.until(new RegExp(String.raw`Title\s+${title}`))
  screen.press(enter)
}

/** Expects that the task is there once, and that the screen says so. */
const expectAddedOnce = async (screen: Screen): Promise<void> => {
  // A number that was given out for a write without an end is not given out again.
  await screen.until(/Created task \d “Brew”/)
  await screen.until(/○ pending.*Brew/)
}

test.for(['before', 'after'] satisfies CutAt[])(
  'a task that a person adds is there once, if the connection is cut %s the server gets the commit',
  generous,
  async (at, context) => {
    const { address, cutCommit, wasCut } = await proxyTo(cluster, newAddress(cluster))
    const shop = await shopOn(context, `${address.url}&schema=${address.schema}`)
    const screen = await openedOn(shop)
    cutCommit(at, 'create_task')
    await add(screen, 'Brew')
    await expectAddedOnce(screen)
    expect(wasCut()).toBe(true)
    expect(await titlesIn(shop)).toEqual(['Bake', 'Brew'])
  },
)

test(
  'a task that a person adds is there once, if the connection ends in the middle of a statement',
  generous,
  async (context) => {
    const { schema } = newAddress(cluster)
    const shop = await shopOn(context, `${cluster.url()}&schema=${schema}`)
    const screen = await openedOn(shop)
    // Another writer has the board, so that the console's statement is in the middle of its work.
    const holder = new pg.Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query(`SELECT pg_advisory_lock(${lockOf(schema)})`)
    await add(screen, 'Brew')
    const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%open_write%'"
    await expect.poll(() => runSql(cluster, `SELECT 1 ${waiting}`)).not.toEqual([])
    const ended = await runSql(cluster, `SELECT pg_terminate_backend(pid) ${waiting}`)
    expect(ended.length).toBeGreaterThan(0)
    await holder.query(`SELECT pg_advisory_unlock(${lockOf(schema)})`)
    await expectAddedOnce(screen)
    expect(await titlesIn(shop)).toEqual(['Bake', 'Brew'])
  },
)

test(
  'a NUL character in a title is not typed, and refused when it is pasted; what was typed is kept',
  generous,
  async (context) => {
    const shop = await shopOn(context, `${cluster.url()}&schema=nul`)
    const screen = await openedOn(shop)
    screen.press('n')
    await screen.until('New task')
    screen.press('Br\0ew')
    await screen.until(/Title\s+Brew /)
    screen.paste(' a p\0ot')
    await screen.until(/Title\s+Brew a p\S+ot/)
    screen.press(enter)
    await screen.until(words('title: it has a NUL character, which a text cannot have; remove it.'))
    expect(await titlesIn(shop)).toEqual(['Bake'])
    screen.press('n')
    await screen.until(/Title\s+Brew a p\S+ot/)
    screen.press(backspace.repeat(3))
    await screen.until(/Title\s+Brew a p /)
    screen.press('ot')
    await screen.until(/Title\s+Brew a pot/)
    screen.press(enter)
    await screen.until('Created task 2')
    expect(await titlesIn(shop)).toEqual(['Bake', 'Brew a pot'])
    // Into the prompt that filters the board.
    screen.press('/')
    screen.paste('p\0ot')
    await screen.until(words('NUL character'))
    screen.press(escape)
    await screen.until('Bake')
    await screen.until('Brew a pot')
  },
)
