import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext } from 'vitest'
import { enter, escape, openShop, type Screen, type Shop } from '../stories/pty.ts'
import { runSql } from './board-on-server.ts'
import type { Cluster } from './postgres.ts'

// A console on a board on a server, and what a person does at it while the server refuses it.

/** The smallest usual terminal, on which a sentence takes the most lines. */
export const small = { columns: 80, rows: 24 }

/** Words as the screen may break them into lines. */
export const words = (sentence: string): RegExp =>
  new RegExp(sentence.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`))

/** The password that the programs of a shop find. */
export const passwordIs = (shop: Shop, password: string): void => {
  const file = join(shop.folder, '.pgpass')
  writeFileSync(file, `*:*:*:*:${password}\n`)
  chmodSync(file, 0o600)
}

/** A repository with a board in the schema that `url` names, with one task. */
export const shopOn = async (context: TestContext, url: string, password = 'right'): Promise<Shop> => {
  const shop = openShop(context, { ownStore: true })
  passwordIs(shop, password)
  expect(await shop.run('init', '--yes', '--store', url)).toMatchObject({ code: 0 })
  await shop.answer('task', 'add', 'Bake', '--persona', 'implementer')
  return shop
}

/** Another checkout, whose board is the one that `url` names. */
export const checkoutOf = (context: TestContext, url: string, schema: string): Shop => {
  const shop = openShop(context, { ownStore: true })
  shop.write({ '.aiswarm/store.yaml': `store: ${url}\nschema: ${schema}\n` })
  chmodSync(join(shop.root, '.aiswarm/store.yaml'), 0o600)
  return shop
}

export const titlesIn = async (shop: Shop): Promise<readonly string[]> =>
  (await shop.answer<readonly { title: string }[]>('task', 'list')).map(({ title }) => title)

/** Expects that a console is not opened, and that its one sentence says why. */
export const expectNotOpened = async (shop: Shop, sentence: RegExp): Promise<void> => {
  const screen = shop.start(['tui', '--root', shop.root], small)
  expect(await screen.ended()).toBe(1)
  // A terminal breaks a long line where it ends.
  const said = screen.text().trim().replaceAll('\n', '')
  expect(said).toMatch(sentence)
  expect(said).not.toMatch(/bug|\bat \S+\.js:/)
}

export const openedOn = async (shop: Shop): Promise<Screen> => {
  const screen = await shop.console(small)
  await screen.until('Bake')
  return screen
}

/** Ends the connections of a user, who must log in again. */
export const endConnections = (cluster: Cluster, user: string): Promise<unknown> =>
  runSql(cluster, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)

/** A person adds a task at a console whose board refuses it, and opens the form again: what was typed is in it. */
export const addInVain = async (screen: Screen, sentence: RegExp): Promise<void> => {
  screen.press(escape)
  screen.press('n')
  await screen.until('New task')
  screen.press('Brew')
  await screen.until(/Title\s+Brew/)
  screen.press(enter)
  await screen.lacks('New task')
  await screen.until(sentence)
  // The sentence may be of before; only after the refusal there is a draft.
  for (;;) {
    screen.press('n')
    await screen.until('New task')
    if (screen.text().includes('your draft')) break
    screen.press(escape)
    await screen.lacks('New task')
  }
  await screen.until(/Title\s+Brew/)
}

/** Expects that a console whose board takes no writes offers no key that writes, and says why at one of them. */
export const expectClosed = async (screen: Screen, sentence: RegExp): Promise<void> => {
  await screen.until(sentence)
  screen.press(escape)
  await screen.lacks('n new')
  screen.press('n')
  await screen.until(sentence)
  expect(screen.text()).not.toContain('New task')
}

/** The person submits the open form: the task is there once. */
export const addAgain = async (screen: Screen, shop: Shop, others: readonly string[] = ['Bake']): Promise<void> => {
  screen.press(enter)
  // A number that was given out before a crash, or for a write without an end, is not given out again.
  await screen.until(/Created task \d+ “Brew”/)
  expect(await titlesIn(shop)).toEqual([...others, 'Brew'])
}
