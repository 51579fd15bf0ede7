import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { it } from 'vitest'
import { enter, escape, generous, openShop, right } from './pty.ts'

const counting = pathToFileURL(resolve(import.meta.dirname, '../fixtures/count-spawns.ts')).href

it(
  'every key that only shows something is answered while another process holds the lock, and none starts a process',
  generous,
  async (test) => {
    const shop = openShop(test)
    const file = join(shop.folder, 'spawns')
    writeFileSync(file, '')
    const spawned = (): readonly string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const quiet = async (): Promise<number> => {
      for (let before = -1; ; await pause(2000)) {
        const now = spawned().length
        if (now === before) return now
        before = now
      }
    }

    const screen = await shop.console({
      columns: 200,
      rows: 50,
      environment: { NODE_OPTIONS: `--import=${counting}`, SPAWNS: file },
    })
    screen.press('p')
    await screen.until('‖ paused')
    await shop.addAll(Array.from({ length: 60 }, (_, n) => ({ title: `Bake ${n + 1}`, command: 'exit 0' })))
    await screen.until(/▸ +1 .*Bake 1/)
    await screen.lacks('supervised')
    const before = await quiet()
    test.expect(before).toBeGreaterThan(0)

    const other = new SqliteDatabase(join(shop.root, '.aiswarm', 'coordination.db'))
    test.onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    const keys: readonly (readonly [string, string | RegExp])[] = [
      ['j', /▸ +2 /],
      ['jj', /▸ +4 /],
      ['k', /▸ +3 /],
      ['G', /▸ +60 /],
      ['\u001b[5~', /▸ +\d\d /],
      ['g', /▸ +1 /],
      [enter, '[Task 1]'],
      [escape, '[1 Board]'],
      ['2', '[2 Agents]'],
      ['\t', '[3 Log'],
      [right, '[4 Worktrees]'],
      ['1', '[1 Board]'],
      ['b', /pending 60/],
      ['j', /▸/],
      // If the previous key came before the cards were there, it moved nothing.
      ['b', /▸ +\S* *[12] /],
      ['b', /ID +PRI +STATE/],
      ['S', /sort|Sort/],
      ['/', /filter|words/i],
      ['Bake 33', /▸ +33 .*Bake 33/],
      // All rows are visible again, and the found one is still selected.
      [escape, /Bake 32 [^]*▸ +33 /],
      ['L', 'Logs of all agents'],
      [escape, '[1 Board]'],
      ['P', 'Burn-down'],
      [escape, '[1 Board]'],
      // The commit of the target may be recorded after the tasks.
      ['T', /are created|is at/],
      ['h', /are created|is at|begins|pauses the session/],
      [escape, '[1 Board]'],
      ['?', '[Keys]'],
      [escape, '[1 Board]'],
      ['+', '[1 Board]'],
      ['=', '2 Agents'],
      ['Z', '[1 Board]'],
      ['Z', '2 Agents'],
    ]
    for (const [key, shows] of keys) {
      screen.press(key)
      await screen.until(shows)
    }
    test.expect(spawned().slice(before)).toEqual([])
    other.exec('ROLLBACK')

    // This test detects a key that does start a process.
    screen.press('o')
    await screen.shows('a shell', () => spawned().length > before)
    screen.press(`exit${enter}`)
    await screen.until('1 Board')
  },
)
