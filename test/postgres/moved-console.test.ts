import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { escape, generous, openShop, type Screen, type Shop } from '../stories/pty.ts'

// A board that is moved to another store while a console has it open: the console was stopped for so long, as by a
// suspended machine, that its roles had ended.

const cluster = ownCluster()

/** Stops the console until the board has moved, then continues it. */
const moveBehind = async (shop: Shop, screen: Screen, ...words: readonly string[]): Promise<void> => {
  process.kill(screen.pid, 'SIGSTOP')
  try {
    // It waits until the role of the stopped console has ended.
    expect(await shop.run('db', 'copy', ...words, '--pause')).toMatchObject({ code: 0 })
  } finally {
    process.kill(screen.pid, 'SIGCONT')
  }
}

/** The processor time that a process has used (ticks). */
const ticks = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** The share of a busy loop's processor time that a process uses while the loop runs beside it. */
const busyShare = async (pid: number): Promise<number> => {
  const loop = spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' })
  onTestFinished(() => void loop.kill('SIGKILL'))
  await expect.poll(() => ticks(loop.pid!)).toBeGreaterThan(20)
  const before = [ticks(pid), ticks(loop.pid!)] as const
  await expect.poll(() => ticks(loop.pid!) - before[1]).toBeGreaterThan(300)
  const share = (ticks(pid) - before[0]) / (ticks(loop.pid!) - before[1])
  loop.kill('SIGKILL')
  return share
}

/** How often the console's loops have said the sentence, by their file. */
const timesSaid = (shop: Shop, sentence: RegExp): number => {
  const path = join(shop.root, '.aiswarm/logs/supervisor.log')
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => sentence.test(line)).length
    : 0
}

/** Expects that the sentence stays, that keys write nothing, and that the console rests. */
const expectRefusing = async (shop: Shop, screen: Screen, sentence: RegExp): Promise<void> => {
  await screen.until(sentence)
  // Said away, it returns with the next look, since what the panes show is of the past.
  screen.press(escape)
  await screen.until(sentence)
  expect(await busyShare(screen.pid)).toBeLessThan(0.5)
  expect(timesSaid(shop, sentence)).toBeLessThanOrEqual(1)
  // A new task and the pause of scheduling: neither is begun.
  for (const key of ['n', 'p']) {
    screen.press(key)
    await screen.until(sentence)
    await screen.lacks('New task')
  }
}

/** The end of the session cannot be written either, which the shell shows in the same words. */
const expectLastWord = async (screen: Screen, sentence: RegExp): Promise<void> => {
  screen.press('q')
  expect(await screen.ended()).toBe(1)
  // A long line is broken by the terminal.
  expect(screen.text().replaceAll('\n', '')).toMatch(sentence)
  expect(screen.text()).not.toMatch(/bug|^ +at /m)
}

const begun = async (context: Parameters<typeof openShop>[0]): Promise<Shop> => {
  const shop = openShop(context, { ownStore: true })
  await shop.answer('task', 'add', 'Bake', '--persona', 'implementer')
  return shop
}

const titles = async (shop: Shop): Promise<readonly string[]> =>
  (await shop.answer<readonly { title: string }[]>('task', 'list')).map(({ title }) => title)

test(
  'a console whose board moves to a server says where it is, writes nothing more, and rests',
  generous,
  async (context) => {
    const shop = await begun(context)
    const url = `${cluster.url()}&schema=moved_to`
    const screen = await shop.console({ columns: 120, rows: 40 })
    await screen.until('Bake')
    await moveBehind(shop, screen, '--to', url)
    const file = new SqliteDatabase(join(shop.root, '.aiswarm/coordination.db'), { readonly: true })
    onTestFinished(() => void file.close())
    const eventsOf = (): unknown => file.prepare('SELECT count(*), max(id) FROM events').get()
    const before = eventsOf()
    await expectRefusing(
      shop,
      screen,
      /The board of \S+\s+is\s+at\s+postgresql:\S+ \(moved_to\) now\. Start aiswarm again/,
    )
    expect(eventsOf()).toEqual(before)
    expect(await titles(shop)).toEqual(['Bake'])
    await expectLastWord(screen, / \(moved_to\) now\. Start aiswarm again/)
    const again = await shop.console()
    await again.until('PostgreSQL')
    await again.until('Bake')
  },
)

test(
  'a console whose board moves back to a file says where it is, writes nothing more, and rests',
  generous,
  async (context) => {
    const shop = await begun(context)
    const url = `${cluster.url()}&schema=moved_from`
    expect(await shop.run('db', 'copy', '--to', url)).toMatchObject({ code: 0 })
    const screen = await shop.console({ columns: 120, rows: 40 })
    await screen.until('Bake')
    await moveBehind(shop, screen, '--from', url)
    const eventsOf = (): Promise<unknown> => runSql(cluster, 'SELECT count(*), max(id) FROM moved_from.events')
    const before = await eventsOf()
    await expectRefusing(
      shop,
      screen,
      /The board at postgresql:\S+\s+\(moved_from\)\s+is\s+at\s+\S+coordination\.db\s+now\.\s+Start\s+aiswarm\s+again/,
    )
    expect(await eventsOf()).toEqual(before)
    expect(await titles(shop)).toEqual(['Bake'])
    await expectLastWord(screen, / \(moved_from\) is at .* now\. Start aiswarm again/)
    const again = await shop.console()
    await again.until('Bake')
    expect(again.text()).not.toContain('PostgreSQL')
  },
)
